package reports

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// mostListed bounds the violations that text lists, but for one of each kind; JSON has them all.
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
	found := listed(e.Violations)
	for _, v := range found {
		fmt.Fprintf(&b, "\n%s: %s\n  plan    %s\n  replay  %s\n", paint(s.Bad, v.Invariant), strings.Join(wrap(v.Detail, 80), "\n    "), v.Plan, v.Replay)
	}
	if more := len(e.Violations) - len(found); more > 0 {
		fmt.Fprintf(&b, "\n... and %d more; --format json lists them\n", more)
	}
	if breaksUndisturbed(e) {
		fmt.Fprintf(&b, "\n%s: %s\n", paint(s.Open, "undisturbed"), undisturbed)
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

// listed returns the violations that text lists, in their order: the first of each kind of crash and invariant, and the
// first others that there is room for.
func listed(all []history.ExecViolation) []history.ExecViolation {
	type kind struct {
		power     bool
		invariant string
	}
	seen, room := map[kind]bool{}, mostListed
	first := make([]bool, len(all))
	for i, v := range all {
		k := kind{strings.HasPrefix(v.Plan, "power-loss "), v.Invariant}
		if first[i] = !seen[k]; first[i] {
			seen[k] = true
			room--
		}
	}
	var out []history.ExecViolation
	for i, v := range all {
		if !first[i] {
			room--
		}
		if first[i] || room >= 0 {
			out = append(out, v)
		}
	}
	return out
}

// undisturbed says why the violations of kills may be more than their cases.
const undisturbed = "the run without a kill breaks an invariant itself, and is counted with the kills"

func breaksUndisturbed(e history.Exec) bool {
	return slices.ContainsFunc(e.Violations, func(v history.ExecViolation) bool { return v.Plan == "run" })
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
