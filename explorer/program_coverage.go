package explorer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// EnvCoverage is the environment variable that names a file to which every Test and Find adds the points
// that it passed and killed at. Each logs the sum so far, the last one that of all; ReadCoverage returns it. A
// test whose result the go command has kept does not run and adds nothing: use -count=1, and a new file.
const EnvCoverage = "PAYTWICE_COVERAGE"

// Coverage says which points were passed in any life, and at which of them a plan killed.
//
// Shape: points as text, such as sql.commit/after#1; Killed and Never are sorted and share none.
type Coverage struct {
	Killed []string `json:"killed"`
	Never  []string `json:"never"`
}

// String returns the count, and the points that no plan killed at.
func (c Coverage) String() string {
	text := fmt.Sprintf("killed at %d of %d points", len(c.Killed), len(c.Killed)+len(c.Never))
	if len(c.Never) > 0 {
		text += ", not at " + strings.Join(c.Never, ", ")
	}
	return text
}

// addTo adds a line to a file and returns the sum of its lines. A line is one write, so tests and packages that
// run beside each other share a file.
func (c Coverage) addTo(name string) (sum Coverage, err error) {
	line, err := json.Marshal(c)
	if err != nil {
		return sum, err
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return sum, err
	}
	_, err = f.Write(append(line, '\n'))
	if err = firstError(err, f.Close()); err != nil {
		return sum, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return sum, err
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1] // somebody may be writing the next line
	return ReadCoverage(bytes.NewReader(whole))
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadCoverage sums up a file that EnvCoverage named: a point counts as killed if any test killed there.
//
// Errors: a line that is none.
func ReadCoverage(r io.Reader) (Coverage, error) {
	killed := map[string]bool{}
	lines := json.NewDecoder(r)
	for {
		var c Coverage
		if err := lines.Decode(&c); err == io.EOF {
			return coverageOf(killed), nil
		} else if err != nil {
			return Coverage{}, fmt.Errorf("coverage: %w", err)
		}
		for _, p := range c.Killed {
			killed[p] = true
		}
		for _, p := range c.Never {
			if _, known := killed[p]; !known {
				killed[p] = false
			}
		}
	}
}

// coverageOf sorts points by whether a plan killed there.
func coverageOf(killed map[string]bool) Coverage {
	c := Coverage{Killed: []string{}, Never: []string{}}
	for _, p := range slices.Sorted(maps.Keys(killed)) {
		if killed[p] {
			c.Killed = append(c.Killed, p)
		} else {
			c.Never = append(c.Never, p)
		}
	}
	return c
}
