package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// ExplorationText writes one search for a terminal.
func ExplorationText(w io.Writer, e history.Exploration, s Style) error {
	e = clean(e)
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", paint(s.Strong, title(e)), s.verdict(e.Verdict(), verdictWord(e)))
	fmt.Fprintf(&b, "  %s of up to %s decided, %s with one kill per different state\n",
		plural(e.PlansCovered, "plan"), plural(int64(e.Crashes), "fault"), thousands(e.PlansDistinct))
	fmt.Fprintf(&b, "  %s in the undisturbed run, %s, %s", plural(int64(e.Points), "point"), plural(int64(e.Incarnations), "incarnation"), plural(int64(e.States), "state"))
	b.WriteByte('\n')
	if e.Closed {
		b.WriteString("  closed: more faults reach no new state, so the verdict holds for any number of them\n")
	}
	if e.HandedToPerson > 0 {
		fmt.Fprintf(&b, "  %s with a person\n", endVerb(e.HandedToPerson))
	}
	if !e.Complete {
		fmt.Fprintf(&b, "  %s\n", paint(s.Open, "not complete: "+e.LeftOut))
	}
	for _, v := range e.Violations {
		fmt.Fprintf(&b, "\n  %s with %s:\n%s    plan    %s\n    replay  %s\n", paint(s.Bad, v.Invariant), plural(int64(v.Faults), "fault"), detail(v), v.Plan, v.Replay)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// detail returns what broke an invariant as indented lines. A plan and its command stay on one line each,
// to be copied.
func detail(v history.Counterexample) string {
	return strings.Join(wrap("    "+v.Detail, lineWidth), "\n") + "\n"
}

func endVerb(n int64) string {
	if n == 1 {
		return "1 plan ends"
	}
	return thousands(n) + " plans end"
}

func title(e history.Exploration) string {
	parts := []string{e.Scenario}
	for _, p := range []string{e.Ticket, e.Strategy, e.Provider} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(append(parts, mode(e.Mode)), " · ")
}

func verdictWord(e history.Exploration) string {
	switch e.Verdict() {
	case history.Violated:
		return "violation"
	case history.Undecided:
		return "undecided"
	default:
		return "no violation"
	}
}

// ExplorationsText writes several searches, a line each, then what was found.
func ExplorationsText(w io.Writer, d history.Explorations, s Style) error {
	d = clean(d)
	t := plainTable()
	t.AppendRow([]any{"scenario", "ticket", "strategy", "provider", "mode", "plans", "states", "verdict"})
	for _, e := range d.Runs {
		t.AppendRow([]any{e.Scenario, dash(e.Ticket), dash(e.Strategy), dash(e.Provider), e.Mode, thousands(e.PlansCovered), thousands(int64(e.States)), s.verdict(e.Verdict(), verdictWord(e))})
	}
	right(t, 6, 7)
	var b strings.Builder
	b.WriteString(render(t))
	for _, e := range d.Runs {
		for _, v := range e.Violations {
			fmt.Fprintf(&b, "\n%s: %s with %s:\n%s    plan    %s\n    replay  %s\n", title(e), paint(s.Bad, v.Invariant), plural(int64(v.Faults), "fault"), detail(v), v.Plan, v.Replay)
		}
		if !e.Complete {
			fmt.Fprintf(&b, "\n%s: %s\n", title(e), paint(s.Open, "not complete: "+e.LeftOut))
		}
	}
	for _, l := range d.LeftOut {
		fmt.Fprintf(&b, "\nleft out: %s\n", l)
	}
	b.WriteString(ratchetText(d.Ratchet))
	_, err := io.WriteString(w, b.String())
	return err
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
