package course

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// passagesFile holds the passages that the course's own search looks through. Where it is missing, the
// sections of policy.md are searched.
const passagesFile = "policy_passages.jsonl"

func (r *reader) readPolicy(context.Context) error {
	path := r.data(larkfield.PolicyFile)
	content, err := r.file(path)
	if err != nil {
		return err
	}
	passages, err := parsePolicy(path, content)
	if err != nil {
		return err
	}
	if _, err := os.Stat(r.data(passagesFile)); !errors.Is(err, fs.ErrNotExist) {
		if passages, err = r.readPassageLines(r.data(passagesFile)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(passages)
	if err != nil {
		return err
	}
	return r.archive.add(policyFile, text)
}

// ourSection is how the embedded policy begins a section; the course's has a title alone.
var ourSection = regexp.MustCompile(`(?m)^## \S+ · `)

func parsePolicy(path string, content []byte) ([]resolver.Passage, error) {
	if ourSection.Match(content) {
		return larkfield.ParsePolicy(path, bytes.NewReader(content))
	}
	if i := invalidLine(content); i > 0 {
		return nil, fmt.Errorf("%s:%d: the line is not UTF-8", path, i)
	}
	var passages []resolver.Passage
	for _, line := range strings.Split(string(content), "\n") {
		line = strings.TrimRight(line, " \r")
		if title, ok := strings.CutPrefix(line, "## "); ok {
			passages = append(passages, resolver.Passage{ID: fmt.Sprintf("S%02d", len(passages)+1), Title: title})
		} else if len(passages) > 0 {
			last := &passages[len(passages)-1]
			last.Text = strings.TrimPrefix(last.Text+"\n"+line, "\n")
		}
	}
	if len(passages) == 0 {
		return nil, fmt.Errorf("%s: there is no section (a line that begins with \"## \")", path)
	}
	return passages, nil
}

// invalidLine returns the number of the first line that is not UTF-8, or 0.
func invalidLine(content []byte) int {
	for i, line := range bytes.Split(content, []byte("\n")) {
		if !utf8.Valid(line) {
			return i + 1
		}
	}
	return 0
}

// passageLine is what is read of a line of policy_passages.jsonl.
type passageLine struct {
	ID      string `json:"passage_id"`
	Title   string `json:"title"`
	Section string `json:"section"`
	Text    string `json:"text"`
}

func (r *reader) readPassageLines(path string) ([]resolver.Passage, error) {
	content, err := r.file(path)
	if err != nil {
		return nil, err
	}
	var passages []resolver.Passage
	seen := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var p passageLine
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil || !utf8.Valid(lines.Bytes()) {
			return nil, fmt.Errorf("%s:%d: not a passage", path, n)
		}
		if p.ID == "" || p.Title == "" || p.Text == "" || seen[p.ID] {
			return nil, fmt.Errorf("%s:%d: a passage has a passage_id of its own, a title and a text", path, n)
		}
		seen[p.ID] = true
		title := p.Title
		if p.Section != "" {
			title += ": " + p.Section
		}
		passages = append(passages, resolver.Passage{ID: p.ID, Title: title, Text: p.Text})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
	}
	if len(passages) == 0 {
		return nil, fmt.Errorf("%s holds no passage", path)
	}
	return passages, nil
}
