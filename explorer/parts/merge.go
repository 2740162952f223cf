package parts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// Merge joins the parts of one run, in any order, into the document that the run would have written had it
// not been split.
//
// Errors: *WrongError for parts that don't belong together or are there twice; *MissingError where a shard,
// or a case of one, is missing.
func Merge(parts []Document) (Document, error) {
	if len(parts) == 0 {
		return Document{}, &MissingError{"there are none"}
	}
	for _, d := range parts {
		if d.Part() == nil {
			return Document{}, wrong(d.File, "it holds a whole run, so there is nothing to merge: reports of --shard I/N say which part they are")
		}
		if err := sameRun(parts[0], d); err != nil {
			return Document{}, err
		}
	}
	if err := everyShard(parts); err != nil {
		return Document{}, err
	}
	if parts[0].Matrix != nil {
		return mergeMatrix(parts)
	}
	return mergeExplorations(parts)
}

// SameBuild reports whether one program wrote all parts.
func SameBuild(parts []Document) bool {
	return !slices.ContainsFunc(parts, func(d Document) bool {
		return d.Part().Build == "" || d.Part().Build != parts[0].Part().Build
	})
}

// sameRun returns how two documents are of different runs.
func sameRun(a, b Document) error {
	p, q := a.Part(), b.Part()
	switch {
	case (a.Matrix == nil) != (b.Matrix == nil):
		return wrong(b.File, "it is another kind of report than %s", a.File)
	case a.Matrix != nil && (a.Matrix.Scenario != b.Matrix.Scenario || a.Matrix.Mode != b.Matrix.Mode || a.Matrix.Seed != b.Matrix.Seed):
		return wrong(b.File, "scenario, mode and seed are not those of %s", a.File)
	case p.Version != q.Version:
		return wrong(b.File, "it was written by version %.160q, and %s by %.160q", q.Version, a.File, p.Version)
	}
	if d := differ(p.Run, q.Run); d != "" {
		return wrong(b.File, "it is of another run than %s: %s", a.File, d)
	}
	if p.Settings != q.Settings || a.Shard().Of != b.Shard().Of {
		return wrong(b.File, "it is one of %d shards and of a run of %d settings, %s one of %d and of %d", b.Shard().Of, q.Settings, a.File, a.Shard().Of, p.Settings)
	}
	return nil
}

// differ returns the first difference between two command lines, second against first; empty if none.
func differ(a, b history.Asked) string {
	if a.Command != b.Command || !slices.Equal(a.Arguments, b.Arguments) {
		return fmt.Sprintf("%.80q, not %.80q", commandOf(b), commandOf(a))
	}
	names := slices.Sorted(maps.Keys(a.Flags))
	for _, n := range slices.Sorted(maps.Keys(b.Flags)) {
		if _, ok := a.Flags[n]; !ok {
			names = append(names, n)
		}
	}
	for _, n := range names {
		if x, y := flagText(a.Flags, n), flagText(b.Flags, n); x != y {
			return fmt.Sprintf("--%s is %.80s, not %.80s", n, y, x)
		}
	}
	return ""
}

// commandOf is a command line without its flags.
func commandOf(a history.Asked) string {
	return strings.Join(append([]string{"paytwice", a.Command}, a.Arguments...), " ")
}

func flagText(flags map[string]string, name string) string {
	if v, ok := flags[name]; ok {
		return fmt.Sprintf("%q", v)
	}
	return "its default"
}

// everyShard checks that each shard is there, and once.
func everyShard(parts []Document) error {
	of := parts[0].Shard().Of
	files := map[int]string{}
	for _, d := range parts {
		i := d.Shard().Index
		if first, ok := files[i]; ok {
			return wrong(d.File, "shard %s is there already, from %s", d.Shard(), first)
		}
		files[i] = d.File
	}
	var left []string
	for i := 1; i <= of; i++ {
		if _, ok := files[i]; !ok {
			left = append(left, fmt.Sprintf("%d/%d", i, of))
		}
	}
	if len(left) > 0 {
		return &MissingError{"no report of shard " + strings.Join(left[:min(len(left), 10)], ", ") + more(len(left)-10)}
	}
	return nil
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// gather collects the pieces of all parts and checks that they are the whole.
func gather[T any](parts []Document, items func(Document) []T) ([]Piece[T], error) {
	var all []Piece[T]
	from := map[key]string{}
	for _, d := range parts {
		pieces, err := split(items(d), d.Part())
		if err != nil {
			return nil, &WrongError{d.File, err}
		}
		for _, p := range pieces {
			if p.Unfinished {
				return nil, &MissingError{fmt.Sprintf("%s was interrupted; go on from it with --resume %s", d.File, d.File)}
			}
			if first, ok := from[p.key()]; ok {
				return nil, wrong(d.File, "case %d.%d is in %s already", p.Setting, p.Plan, first)
			}
			from[p.key()] = d.File
		}
		all = append(all, pieces...)
	}
	left, err := missing(all, parts[0].Part().Settings)
	if err != nil {
		return nil, &WrongError{parts[0].File, err}
	}
	if left > 0 {
		return nil, &MissingError{fmt.Sprintf("%d or more cases are in none of the reports; one that was interrupted goes on with --resume", left)}
	}
	return all, nil
}

func mergeMatrix(parts []Document) (Document, error) {
	pieces, err := gather(parts, func(d Document) []history.Cell { return d.Matrix.Cells })
	if err != nil {
		return Document{}, err
	}
	first := parts[0].Matrix
	m := history.Matrix{Schema: first.Schema, Scenario: first.Scenario, Mode: first.Mode, Seed: first.Seed}
	var cases []history.Case
	m.Cells, cases, m.Notes = Join(pieces)
	m.Sum()
	p := *parts[0].Part()
	p.Cases = cases
	for _, d := range parts[1:] {
		p.Unfilled = slices.DeleteFunc(slices.Clone(p.Unfilled), func(name string) bool { return !slices.Contains(d.Part().Unfilled, name) })
	}
	m.Part = &p
	return Document{Matrix: &m}, nil
}

func mergeExplorations(parts []Document) (Document, error) {
	pieces, err := gather(parts, func(d Document) []history.Exploration { return d.Explorations.Runs })
	if err != nil {
		return Document{}, err
	}
	first := parts[0].Explorations
	for _, d := range parts {
		if !slices.Equal(d.Explorations.LeftOut, first.LeftOut) {
			return Document{}, wrong(d.File, "it leaves out something else than %s", parts[0].File)
		}
	}
	p := *first.Part
	d := history.Explorations{Schema: history.ExplorationsSchema, LeftOut: first.LeftOut, Part: &p}
	d.Runs, p.Cases, _ = Join(pieces)
	return Document{Explorations: &d}, nil
}
