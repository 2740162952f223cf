package course

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// readRecordings takes every *.jsonl and *.jsonl.gz of the folder. Each is read on its own first, so that an
// error names the learner's own file.
func (r *reader) readRecordings(context.Context) error {
	dir := filepath.Join(r.folder, larkfield.RecordingsDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing", dir)
	}
	if err != nil {
		return err
	}
	files, calls := 0, agent.NewRecordings()
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".jsonl") && !strings.HasSuffix(name, ".jsonl.gz") {
			continue
		}
		path := filepath.Join(dir, name)
		content, err := r.file(path)
		if err != nil {
			return err
		}
		if err := calls.Add(path, bytes.NewReader(content)); err != nil {
			return err
		}
		files++
		// The archive has names of its own, in the same order: not every name of a file is one in an archive.
		if err := r.archive.add(fmt.Sprintf("%s/%06d%s", larkfield.RecordingsDir, files, extension(name)), content); err != nil {
			return err
		}
	}
	if files == 0 || calls.Len() == 0 {
		return fmt.Errorf("%s holds no recorded call (*.jsonl or *.jsonl.gz)", dir)
	}
	return nil
}

func extension(name string) string {
	if strings.HasSuffix(name, ".gz") {
		return ".jsonl.gz"
	}
	return ".jsonl"
}
