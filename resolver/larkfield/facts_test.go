package larkfield_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

// sentenceColumns are the project's own; every other column is the course's and must be unchanged.
var sentenceColumns = map[string]string{"orders.csv": "note", "shipments.csv": "courier_note"}

func TestTables_AreTheCoursesFacts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "facts", "*.csv"))
	if err != nil || len(files) != 8 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		want := readCSV(t, file, sentenceColumns[name])
		got := readCSV(t, filepath.Join("data", name), sentenceColumns[name])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func readCSV(t *testing.T, file, without string) [][]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for i, name := range rows[0] {
		if name == without {
			for _, row := range rows {
				row[i] = ""
			}
		}
	}
	return rows
}

func TestTickets_AreTheCoursesFacts(t *testing.T) {
	want, got := readTickets(t, filepath.Join("testdata", "facts.jsonl")), readTickets(t, filepath.Join("data", "tasks.jsonl"))
	if len(want) != 70 {
		t.Fatalf("%d facts", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func readTickets(t *testing.T, file string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tickets []map[string]any
	for line := range bytes.Lines(data) {
		var ticket map[string]any
		if err := json.Unmarshal(line, &ticket); err != nil {
			t.Fatalf("%s:%d: %v", file, len(tickets)+1, err)
		}
		delete(ticket, "text")
		delete(ticket["expected"].(map[string]any), "note")
		tickets = append(tickets, ticket)
	}
	return tickets
}

var sentenceEnd = regexp.MustCompile(`[.!?\n]`)

// sentenceHashes returns the hash of each sentence as data/README.md defines it.
func sentenceHashes(text string) map[string]string {
	hashes := map[string]string{}
	for _, sentence := range sentenceEnd.Split(text, -1) {
		words := strings.Join(strings.Fields(strings.ToLower(sentence)), " ")
		words = strings.TrimFunc(words, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		sum := sha256.Sum256([]byte(words))
		hashes[hex.EncodeToString(sum[:])] = words
	}
	return hashes
}

// None of the course's sentences is in the data: the hashes of all of them are compared.
func TestData_HoldsNoSentenceOfTheCourse(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "original_sentences.sha256"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	original := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		original[lines.Text()] = true
	}
	if len(original) < 200 {
		t.Fatalf("%d hashes", len(original))
	}
	for name, text := range allTexts() {
		for hash, sentence := range sentenceHashes(text) {
			if original[hash] {
				t.Errorf("%s: %q is the course's", name, sentence)
			}
		}
	}
}

func allTexts() map[string]string {
	texts := map[string]string{}
	for _, task := range larkfield.Tasks() {
		texts[task.ID] = task.Text
		texts[task.ID+" note"] = task.Expected.Note
	}
	for _, o := range larkfield.Dataset().Orders {
		texts[o.OrderID] = o.Note
	}
	for _, s := range larkfield.Dataset().Shipments {
		texts[s.ShipmentID] = s.CourierNote
	}
	for _, p := range larkfield.Policy() {
		texts[p.ID] = p.Text
	}
	return texts
}
