// Command record makes the embedded recordings from data/decisions.jsonl: it runs the loop over every line
// against the practice services, with the ticket's own faults, and writes what was asked and answered. The
// same input gives the same bytes.
//
//	go run ./resolver/larkfield/internal/record [FOLDER]
//
// FOLDER is larkfield's data folder, resolver/larkfield/data if left out.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

func main() {
	dir := filepath.Join("resolver", "larkfield", "data")
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := write(dir); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	source, err := os.Open(filepath.Join(dir, "decisions.jsonl"))
	if err != nil {
		return err
	}
	defer source.Close()
	runs, err := readRuns("decisions.jsonl", source)
	if err != nil {
		return err
	}
	files, err := record(runs)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, larkfield.RecordingsDir, file.name), file.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
