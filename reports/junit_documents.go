package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// MatrixJUnit writes a matrix as JUnit XML: a suite SCENARIO/STRATEGY, a case TICKET/ACTION/PROVIDER/POINT a
// cell. A cell whose kill did not land, and a point that no strategy passes, is an error.
func MatrixJUnit(w io.Writer, m history.Matrix) error {
	r := newJUnit()
	about := []junitProperty{property("mode", m.Mode), property("seed", m.Seed), property("summary", summaryLine(m))}
	for _, c := range m.Cells {
		r.suite(m.Scenario, c.Strategy, about...).add(cellCase(c))
	}
	for _, point := range m.Unfilled {
		r.suite(m.Scenario, "", about...).add(junitCase{Name: caseName("", "", "", point), Error: harness("no strategy passes " + point)})
	}
	if m.LeftOut != "" {
		r.suite(m.Scenario, "", about...).add(junitCase{Name: caseName("", "", "", "left out"), Skipped: "undecided: " + oneLine(m.LeftOut)})
	}
	return r.write(w)
}

func cellCase(c history.Cell) junitCase {
	out := junitCase{Name: caseName(c.Ticket, fmt.Sprint(c.Action), c.Provider, rowOf(c).label), Out: cellText(c)}
	if !c.Landed {
		out.Error = harness("it did not land: " + c.Plan)
		return out
	}
	var problem *junitProblem
	if c.Verdict == history.Violated || len(c.Violations) > 0 {
		broken := dash(oneLine(strings.Join(c.Violations, ", ")))
		problem = &junitProblem{Type: broken, Message: fmt.Sprintf("%s: %s", broken, countsText(c)), Text: lines(labelled("plan", c.Plan), labelled("replay", c.Replay))}
	}
	out.judged(c.Verdict, "a bound was reached", problem)
	return out
}

// countsText is what happened outside the process.
func countsText(c history.Cell) string {
	text := plural(int64(c.Effects), "effect")
	if c.AmountCents != 0 {
		text += ", " + formatCents(c.AmountCents) + " " + oneLine(c.Currency)
	}
	return text + ", " + plural(int64(c.Calls), "call")
}

// livesText is what a cell cost beside its calls.
func livesText(c history.Cell) string {
	return fmt.Sprintf("%s, %s, %s", plural(int64(c.Lookups), "look-up"), livesCount(c.Incarnations), plural(int64(c.ModelCalls), "model call"))
}

func livesCount(n int) string {
	if n == 1 {
		return "1 life"
	}
	return thousands(int64(n)) + " lives"
}

func cellText(c history.Cell) string {
	person := ""
	if c.HandedToPerson {
		person = ", handed to a person"
	}
	return lines(oneLine(c.What), countsText(c)+", "+livesText(c), labelled("status", c.Status)+person, labelled("operation", c.OperationID), labelled("plan", c.Plan))
}

// ExplorationsJUnit writes searches as JUnit XML: a suite SCENARIO/STRATEGY, a case a search. A search that
// planned what it did not reach is an error; one that only broke what a baseline knows is skipped.
func ExplorationsJUnit(w io.Writer, d history.Explorations) error {
	r := newJUnit()
	for _, e := range d.Runs {
		point := fmt.Sprintf("all, %s, up to %s", e.Mode, plural(int64(e.Crashes), "fault"))
		c := junitCase{Name: caseName(e.Ticket, "all", e.Provider, point), Out: lines(append(explorationFigures(e), labelled("not complete:", e.LeftOut))...)}
		switch found := fresh(d.Ratchet, e); {
		case len(e.Unreached) > 0:
			c.Error = harness("not reached: " + strings.Join(e.Unreached, ", "))
		case len(found) == 0 && len(e.Violations) > 0:
			broken, _ := brokenText(e)
			c.Skipped = "the baseline knows " + oneLine(broken)
		default:
			c.judged(e.Verdict(), e.LeftOut, counterexamples(found))
		}
		r.suite(e.Scenario, e.Strategy).add(c)
	}
	for _, l := range d.LeftOut {
		r.suite("left out", "").add(junitCase{Name: oneLine(l), Skipped: "not run"})
	}
	return r.write(w)
}

// explorationFigures are a search's numbers as lines.
func explorationFigures(e history.Exploration) []string {
	out := []string{
		fmt.Sprintf("%s of up to %s decided, %s with one kill per different state", plural(e.PlansCovered, "plan"), plural(int64(e.Crashes), "fault"), thousands(e.PlansDistinct)),
		fmt.Sprintf("%s in the undisturbed run, %s, %s, seed %d", plural(int64(e.Points), "point"), plural(int64(e.Incarnations), "incarnation"), plural(int64(e.States), "state"), e.Seed),
	}
	if e.Closed {
		out = append(out, "closed: more faults reach no new state")
	}
	if e.HandedToPerson != 0 {
		out = append(out, endVerb(e.HandedToPerson)+" with a person")
	}
	if e.ModelCalls != 0 || e.ModelCallsMost != 0 {
		out = append(out, modelCalls(e))
	}
	if len(e.Faults) > 0 {
		out = append(out, labelled("faults beside the kill:", strings.Join(e.Faults, ", ")))
	}
	return out
}

func counterexamples(found []history.Counterexample) *junitProblem {
	if len(found) == 0 {
		return nil
	}
	var types, texts []string
	for _, v := range found {
		types = append(types, v.Invariant)
		texts = append(texts, lines(fmt.Sprintf("%s with %s, %s", oneLine(v.Invariant), plural(int64(v.Faults), "fault"), plural(int64(v.Effects), "effect")),
			oneLine(v.Detail), labelled("plan", v.Plan), labelled("replay", v.Replay)))
	}
	broken := oneLine(strings.Join(types, ", "))
	return &junitProblem{Type: broken, Message: broken + ": " + oneLine(found[0].Detail), Text: strings.Join(texts, "\n\n")}
}

// AuditJUnit writes what became of the planted bugs as JUnit XML, a suite a bug. One that its invariant did
// not catch is a failure.
func AuditJUnit(w io.Writer, a history.Audit) error {
	r := newJUnit()
	for _, p := range a.Planted {
		c := junitCase{Name: caseName(p.Ticket, "all", p.Provider, fmt.Sprintf("all, %s, to be caught by %s", p.Mode, p.Invariant)),
			Out: lines(oneLine(p.Doc), plural(int64(p.Faults), "fault"), labelled("plan", p.Plan), labelled("replay", p.Replay))}
		if !p.Caught {
			c.Failure = &junitProblem{Type: oneLine(p.Invariant), Message: uncaught(p), Text: oneLine(p.Doc)}
		}
		r.suite(p.Name, p.Strategy, property("caught", fmt.Sprintf("%d of %d", a.Caught, a.Total))).add(c)
	}
	if a.LeftOut != "" {
		r.suite("audit", "").add(junitCase{Name: caseName("", "", "", "left out"), Skipped: "undecided: " + oneLine(a.LeftOut)})
	}
	return r.write(w)
}

// uncaught says who caught a planted bug that its invariant did not.
func uncaught(p history.Planted) string {
	others := "nothing"
	if len(p.Others) > 0 {
		others = strings.Join(p.Others, ", ")
	}
	return oneLine(fmt.Sprintf("%s did not catch it; caught by %s", p.Invariant, others))
}

// ExecJUnit writes a sweep over a program as JUnit XML: a case a violation, and one for all other cases,
// which a document only counts.
func ExecJUnit(w io.Writer, e history.Exec) error {
	r := newJUnit()
	s := r.suite("exec", "")
	for _, v := range e.Violations {
		s.add(junitCase{Name: caseName("", "", "", v.Plan+": "+v.Invariant), Failure: &junitProblem{Type: oneLine(v.Invariant), Message: oneLine(v.Detail),
			Text: lines(labelled("call", v.Call), labelled("path", v.Path), labelled("plan", v.Plan), labelled("replay", v.Replay))}})
	}
	others := junitCase{Name: caseName("", "", "", "every other case"), Out: lines(execFigures(e)...)}
	switch {
	case !e.Complete:
		others.Skipped = "undecided: " + dash(oneLine(e.LeftOut))
	case e.Cases == 0 || e.Landed < e.Cases:
		others.Error = harness(fmt.Sprintf("%d of %s landed", e.Landed, plural(int64(e.Cases), "case")))
	case len(e.Violations) == 0 && execBroken(e) > 0:
		others.Failure = &junitProblem{Type: "violation", Message: plural(execBroken(e), "violation") + " counted, none listed"}
	}
	s.add(others)
	return r.write(w)
}

// execBroken counts the violations of all columns.
func execBroken(e history.Exec) int64 {
	n := 0
	for _, c := range execColumns(e) {
		for _, cases := range c.Violations {
			n += cases
		}
	}
	return int64(n)
}

type execNamed struct {
	name string
	history.ExecColumn
}

func execColumns(e history.Exec) []execNamed {
	out := []execNamed{{"process kill", e.Kills}}
	if e.PowerLoss != nil {
		out = append(out, execNamed{"power loss", *e.PowerLoss})
	}
	return out
}

func execFigures(e history.Exec) []string {
	out := []string{fmt.Sprintf("%s in the undisturbed run, %s, %s landed, %s", plural(int64(e.Calls), "durable call"), plural(int64(e.Cases), "case"),
		thousands(int64(e.Landed)), plural(int64(e.States), "state"))}
	for _, c := range execColumns(e) {
		out = append(out, fmt.Sprintf("%s: %s, %s landed, %s, violations: %s", c.name, plural(int64(c.Cases), "case"), thousands(int64(c.Landed)),
			plural(int64(c.States), "state"), columnText(c.ExecColumn)))
	}
	if breaksUndisturbed(e) {
		out = append(out, undisturbed)
	}
	for _, path := range e.Outside {
		out = append(out, labelled("changed outside the case's folder, and not put back:", path))
	}
	for _, path := range e.Mapped {
		out = append(out, labelled("written through memory, where stores are not seen:", path))
	}
	if e.Reordered > 0 {
		out = append(out, reordered(e))
	}
	return append(out, labelled("power-loss model:", e.Model))
}

// HistoryJUnit writes one plan that was run, by show or by replay, as JUnit XML: a suite SCENARIO/STRATEGY of one
// case, which says of each life how it ended and what the ledger holds.
func HistoryJUnit(w io.Writer, h history.History) error {
	r := newJUnit()
	c := junitCase{Name: caseName("", "all", h.Provider, h.Plan), Out: lines(historyFigures(h)...)}
	var problem *junitProblem
	if h.Verdict == history.Violated || len(h.Violations) > 0 {
		broken := dash(oneLine(strings.Join(h.Violations, ", ")))
		details := []string{labelled("plan", h.Plan)}
		for _, v := range h.Broken {
			details = append(details, oneLine(v.Invariant+": "+v.Detail))
		}
		problem = &junitProblem{Type: broken, Message: fmt.Sprintf("%s: %s in the ledger", broken, plural(int64(len(h.Ledger)), "change")), Text: lines(details...)}
	}
	reason := h.LeftOut
	if reason == "" {
		reason = "a bound was reached"
	}
	c.judged(h.Verdict, reason, problem)
	r.suite(dash(h.Scenario), h.Strategy).add(c)
	return r.write(w)
}

// historyFigures are the ends of a history's lives and the entries of its ledger as lines.
func historyFigures(h history.History) []string {
	out := []string{labelled("plan", h.Plan)}
	for i, l := range h.Lives {
		out = append(out, fmt.Sprintf("life %d: %s, %s", i+1, plural(int64(len(l.Events)), "event"), oneLine(endText(l, Style{}))))
	}
	for _, e := range h.Ledger {
		entry := labelled("in the ledger", strings.Join([]string{e.RecordID, e.Payload, effectAmount(e), e.OperationID}, " · "))
		if e.Reversed {
			entry += ", taken back"
		}
		out = append(out, entry)
	}
	return append(out, labelled("left out:", h.LeftOut))
}
