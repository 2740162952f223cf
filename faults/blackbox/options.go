package blackbox

import (
	"path"
	"strings"
	"time"
)

// Limits bound what a program under test can use up. Zero fields mean the defaults.
type Limits struct {
	// TemplateBytes bounds the template folder. Default 64 MiB.
	TemplateBytes int64
	// WrittenBytes bounds what one run writes to files, and the size of each. Default 256 MiB.
	WrittenBytes int64
	// OutputBytes bounds what is kept of the head and of the tail of each output stream. Default 64 KiB.
	OutputBytes int
	// Calls bounds the durable calls of one run. Default 100,000.
	Calls int
	// Timeout bounds one run. Default 10 s.
	Timeout time.Duration
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.TemplateBytes, 64<<20)
	setDefault(&l.WrittenBytes, 256<<20)
	setDefault(&l.OutputBytes, 64<<10)
	setDefault(&l.Calls, 100_000)
	setDefault(&l.Timeout, 10*time.Second)
	return l
}

// caseBytes bounds what a case's folder may hold after a run.
func (l Limits) caseBytes() int64 { return l.TemplateBytes + 2*l.WrittenBytes }

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// globs are patterns of files that don't count: calls on them are no points, and they are left out of
// comparisons. A pattern matches a path below the folder, any folder above it, or, without a slash, any
// name; a trailing /** is the folder itself.
type globs []string

func (g globs) check() error {
	for _, p := range g {
		if _, err := path.Match(p, ""); err != nil {
			return err
		}
	}
	return nil
}

func (g globs) match(rel string) bool {
	for _, p := range g {
		anchored := strings.Contains(p, "/")
		p = strings.TrimSuffix(p, "/**")
		for at := rel; at != "." && at != "/"; at = path.Dir(at) {
			name := at
			if !anchored {
				name = path.Base(at)
			}
			if ok, _ := path.Match(p, name); ok {
				return true
			}
		}
	}
	return false
}
