package larkfield

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
)

// PolicyFile is the name of the policy, beside the tables.
const PolicyFile = "policy.md"

// LoadPolicy reads policy.md at the root of fsys.
func LoadPolicy(fsys fs.FS) ([]resolver.Passage, error) {
	f, err := fsys.Open(PolicyFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", PolicyFile, err)
	}
	defer f.Close()
	return ParsePolicy(PolicyFile, f)
}

// ParsePolicy reads a policy: an optional "# Title", then sections that begin with "## ID · Title".
//
// Shape: one passage a section, in order; the lines of a section are joined as they stand.
// Errors: text before the first section, a heading of another form, an empty section and an id given
// twice return an error with name and line.
func ParsePolicy(name string, src io.Reader) ([]resolver.Passage, error) {
	passages := []resolver.Passage{}
	seen := map[string]bool{}
	lines := bufio.NewScanner(src)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimRight(lines.Text(), " \r")
		if !utf8.ValidString(line) {
			return nil, fmt.Errorf("%s:%d: the line is not UTF-8", name, n)
		}
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			id, title, found := strings.Cut(heading, " · ")
			if !found || !resolver.IsName(id) || title == "" {
				return nil, fmt.Errorf("%s:%d: a section begins with \"## ID · Title\", not %q", name, n, line)
			}
			if seen[id] {
				return nil, fmt.Errorf("%s:%d: the section %s stands there twice", name, n, id)
			}
			if err := lastHasText(name, n, passages); err != nil {
				return nil, err
			}
			seen[id] = true
			passages = append(passages, resolver.Passage{ID: id, Title: title})
			continue
		}
		switch {
		case len(passages) > 0:
			last := &passages[len(passages)-1]
			last.Text = strings.TrimPrefix(last.Text+"\n"+line, "\n")
		case line != "" && !strings.HasPrefix(line, "# "):
			return nil, fmt.Errorf("%s:%d: %q stands before the first section", name, n, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	if len(passages) == 0 {
		return nil, fmt.Errorf("%s: there is no section", name)
	}
	if err := lastHasText(name, n+1, passages); err != nil {
		return nil, err
	}
	return passages, nil
}

// lastHasText ends the section that was being read.
func lastHasText(name string, line int, passages []resolver.Passage) error {
	if len(passages) == 0 {
		return nil
	}
	last := &passages[len(passages)-1]
	last.Text = strings.TrimSpace(last.Text)
	if last.Text == "" {
		return fmt.Errorf("%s:%d: the section %s before this line has no text", name, line, last.ID)
	}
	return nil
}
