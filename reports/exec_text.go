package reports

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// mostListed bounds the violations that text lists; JSON has them all.
const mostListed = 3

// ExecText writes what crashing a program from outside found.
func ExecText(w io.Writer, e history.Exec, s Style) error {
	e = clean(e)
	var b strings.Builder
	fmt.Fprintf(&b, "%s in the undisturbed run\n\n", plural(int64(e.Calls), "durable call"))
	t := plainTable()
	t.AppendRow([]any{"crash", "cases", "landed", "states", "violations"})
	for _, c := range execColumns(e) {
		t.AppendRow(execRow(c.name, c.ExecColumn, s))
	}
	right(t, 2, 3, 4)
	b.WriteString(render(t))
	if e.States > 0 {
		fmt.Fprintf(&b, "\n%s stand for %s: %.1f cases a state\n", plural(int64(e.Landed), "case"), plural(int64(e.States), "state"), float64(e.Landed)/float64(e.States))
	}
	for i, v := range e.Violations {
		if i == mostListed {
			fmt.Fprintf(&b, "\n... and %d more; --format json lists them\n", len(e.Violations)-mostListed)
			break
		}
		fmt.Fprintf(&b, "\n%s: %s\n  plan    %s\n  replay  %s\n", paint(s.Bad, v.Invariant), strings.Join(wrap(v.Detail, 80), "\n    "), v.Plan, v.Replay)
	}
	for _, path := range e.Outside {
		fmt.Fprintf(&b, "\n%s: changed outside the case's folder, and not put back: %s\n", paint(s.Open, "outside"), path)
	}
	for _, path := range e.Mapped {
		fmt.Fprintf(&b, "\n%s: written through memory, where stores are not seen: %s\n", paint(s.Open, "mapped"), path)
	}
	if e.Reordered > 0 {
		fmt.Fprintf(&b, "\n%s: %s\n", paint(s.Open, "order"), reordered(e))
	}
	if e.Model != "" {
		fmt.Fprintf(&b, "\npower-loss model: %s\n", e.Model)
	}
	if !e.Complete {
		fmt.Fprintf(&b, "\n%s\n", paint(s.Open, "not complete: "+e.LeftOut))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// reordered says what the kills lack that struck in another order than the recorded one.
func reordered(e history.Exec) string {
	return fmt.Sprintf("before %s the threads' recorded order could not be repeated", plural(int64(e.Reordered), "kill"))
}

func execRow(name string, c history.ExecColumn, s Style) []any {
	found := paint(s.Good, "none")
	if text := columnText(c); text != "none" {
		found = paint(s.Bad, text)
	}
	return []any{name, thousands(int64(c.Cases)), thousands(int64(c.Landed)), thousands(int64(c.States)), found}
}

// columnText names the violations of a column with their counts, known ones in the order of reports.
func columnText(c history.ExecColumn) string {
	known := []string{"double-write", "lost-write", "state-mismatch", "never-ends"}
	names := append(known, slices.DeleteFunc(slices.Sorted(maps.Keys(c.Violations)), func(n string) bool { return slices.Contains(known, n) })...)
	var parts []string
	for _, invariant := range names {
		if n := c.Violations[invariant]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", oneLine(invariant), n))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
