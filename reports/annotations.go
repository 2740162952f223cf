package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// Annotation is one message that GitHub shows beside a run: an error for a violation, a warning for what
// stayed undecided.
type Annotation struct {
	Warning bool
	Title   string
	// Lines are the message, each a line of its own.
	Lines []string
}

// mostAnnotations is how many of each kind GitHub shows of one step.
const mostAnnotations = 10

// WriteAnnotations writes annotations as workflow commands, as many as GitHub shows, and says how many more
// there are. No text breaks out of its command.
func WriteAnnotations(w io.Writer, list []Annotation) error {
	var b strings.Builder
	count := map[bool]int{}
	for _, a := range list {
		count[a.Warning]++
		if count[a.Warning] > mostAnnotations {
			continue
		}
		command := "error"
		if a.Warning {
			command = "warning"
		}
		var texts []string
		for _, l := range a.Lines {
			if l != "" {
				texts = append(texts, oneLine(l))
			}
		}
		fmt.Fprintf(&b, "::%s title=%s::%s\n", command, propertyEscapes.Replace(oneLine(a.Title)), messageEscapes.Replace(strings.Join(texts, "\n")))
	}
	for _, kind := range []struct {
		warning bool
		noun    string
	}{{false, "violation"}, {true, "undecided run"}} {
		if n := count[kind.warning] - mostAnnotations; n > 0 {
			fmt.Fprintf(&b, "%s without an annotation: GitHub shows %d of a kind; the report has them all\n", plural(int64(n), "more "+kind.noun), mostAnnotations)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// The escapes of workflow commands.
//
// Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// ExplorationsAnnotations returns an error for each class of violation that no baseline knows, and a warning for
// each search that was not complete.
func ExplorationsAnnotations(d history.Explorations) []Annotation {
	var out []Annotation
	for _, e := range d.Runs {
		for _, v := range fresh(d.Ratchet, e) {
			out = append(out, Annotation{Title: v.Invariant + ": " + title(e), Lines: []string{v.Detail, "plan: " + v.Plan, "replay: " + v.Replay}})
		}
		if len(e.Unreached) > 0 {
			out = append(out, Annotation{Title: "not reached: " + title(e), Lines: e.Unreached})
		}
		if !e.Complete {
			out = append(out, Annotation{Warning: true, Title: "undecided: " + title(e), Lines: []string{e.LeftOut}})
		}
	}
	return out
}

// AuditAnnotations returns an error for each planted bug that its invariant did not catch.
func AuditAnnotations(a history.Audit) []Annotation {
	var out []Annotation
	for _, p := range a.Planted {
		if !p.Caught {
			out = append(out, Annotation{Title: p.Name, Lines: []string{uncaught(p), p.Doc}})
		}
	}
	if a.LeftOut != "" {
		out = append(out, Annotation{Warning: true, Title: "undecided: audit", Lines: []string{a.LeftOut}})
	}
	return out
}

// ExecAnnotations returns an error for each violation and a warning for a sweep that was not complete.
func ExecAnnotations(e history.Exec) []Annotation {
	var out []Annotation
	for _, v := range e.Violations {
		out = append(out, Annotation{Title: v.Invariant, Lines: []string{v.Detail, "plan: " + v.Plan, "replay: " + v.Replay}})
	}
	if !e.Complete {
		out = append(out, Annotation{Warning: true, Title: "undecided: exec", Lines: []string{e.LeftOut}})
	}
	return out
}

// HistoryAnnotations returns an error for each violation of a replayed plan, a warning for one undecided.
func HistoryAnnotations(h history.History) []Annotation {
	details := map[string][]string{}
	for _, v := range h.Broken {
		details[v.Invariant] = append(details[v.Invariant], v.Detail)
	}
	var out []Annotation
	for _, invariant := range h.Violations {
		out = append(out, Annotation{Title: invariant + ": " + h.Scenario, Lines: append(details[invariant], "plan: "+h.Plan)})
	}
	if len(out) == 0 && h.Verdict == history.Undecided {
		out = append(out, Annotation{Warning: true, Title: "undecided: " + h.Scenario, Lines: []string{h.LeftOut, "plan: " + h.Plan}})
	}
	return out
}
