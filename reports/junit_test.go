package reports_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// written returns what a writer writes.
func written[D any](t testing.TB, write func(io.Writer, D) error, d D) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// junit is what a reader takes from JUnit XML.
type junit struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Name    string   `xml:"name,attr"`
			Class   string   `xml:"classname,attr"`
			Skipped *string  `xml:"skipped"`
			Error   *problem `xml:"error"`
			Failure *problem `xml:"failure"`
			Out     string   `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type problem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func readJUnit(t testing.TB, text string) junit {
	t.Helper()
	var j junit
	if err := xml.Unmarshal([]byte(text), &j); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return j
}

// results returns "suite: case: what became of it" for every case.
func (j junit) results() []string {
	var out []string
	for _, s := range j.Suites {
		for _, c := range s.Cases {
			what := "passed"
			switch {
			case c.Error != nil:
				what = "error " + c.Error.Message
			case c.Failure != nil:
				what = "failure " + c.Failure.Type
			case c.Skipped != nil:
				what = "skipped " + *c.Skipped
			}
			out = append(out, s.Name+": "+c.Name+": "+what)
		}
	}
	return out
}

// everyFate is a matrix with a cell of each fate.
func everyFate() history.Matrix {
	m := filled(axes{actions: []string{refund}, points: []string{"a", "b", "c", "d", "e", "mid-loop agent.step/after#1", "mid-loop agent.step/after#2"}, strategies: all[:1], providers: profiles[:1]})
	for i := range m.Cells {
		m.Cells[i].Effects, m.Cells[i].Verdict, m.Cells[i].Violations = 1, history.Pass, nil
		if strings.HasPrefix(m.Cells[i].Point, "mid-loop") {
			m.Cells[i].Point = "mid-loop"
		}
	}
	m.Cells[1].Verdict, m.Cells[1].Violations = history.Violated, []string{"lost-write", "trail"}
	m.Cells[2].Verdict = history.Undecided
	m.Cells[3].Landed = false
	m.Cells[4].Verdict = "fine"
	m.Unfilled = []string{"lease.acquire/after#1"}
	m.Sum()
	return m
}

func TestMatrixJUnit_Fates(t *testing.T) {
	j := readJUnit(t, written(t, reports.MatrixJUnit, everyFate()))
	want := []string{
		"refund/operation-id: T-90100/1/replay-all/a: passed",
		"refund/operation-id: T-90100/1/replay-all/b: failure lost-write, trail",
		"refund/operation-id: T-90100/1/replay-all/c: skipped undecided: a bound was reached",
		"refund/operation-id: T-90100/1/replay-all/d: error it did not land: kill payment.request_refund/after#1",
		`refund/operation-id: T-90100/1/replay-all/e: error no verdict that this build knows: "fine"`,
		"refund/operation-id: T-90100/1/replay-all/mid-loop agent.step/after#1: passed",
		"refund/operation-id: T-90100/1/replay-all/mid-loop agent.step/after#2: passed",
		"refund: -/-/-/lease.acquire/after#1: error no strategy passes lease.acquire/after#1",
	}
	if diff := cmp.Diff(want, j.results()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s := j.Suites[0]; j.Tests != 8 || j.Failures != 1 || j.Errors != 3 || s.Tests != 7 || s.Failures != 1 || s.Errors != 2 || s.Skipped != 1 {
		t.Errorf("counts: %+v", j)
	}
}

// searches are one of each fate.
func searches() history.Explorations {
	one := func(strategy, mode string) history.Exploration {
		return history.Exploration{Schema: history.ExploreSchema, Scenario: "refund", Ticket: "T-90104", Strategy: strategy, Provider: "larkfield", Mode: mode, Crashes: 2, Seed: 3, Points: 41,
			PlansCovered: 1641, Incarnations: 57, States: 58, PlansDistinct: 1200, Complete: true, Unreached: []string{}, Violations: []history.Counterexample{}}
	}
	violated, bounded, unreached := one("naive-retry", "simulate"), one("operation-id", "kill"), one("restart", "simulate")
	violated.HandedToPerson = 4
	violated.Violations = []history.Counterexample{{Invariant: "double-write", Plan: "kill a.b/after#1", Faults: 1, Effects: 2, Detail: "made 2 times", Replay: "paytwice replay 'kill a.b/after#1'"},
		{Invariant: "trail", Plan: "kill a.b/before#1", Faults: 1, Effects: 1, Detail: "a gap", Replay: "paytwice replay 'kill a.b/before#1'"}}
	bounded.Complete, bounded.LeftOut = false, "9 states after --max-runs 57"
	unreached.Unreached = []string{"kill a.b/during#1"}
	noTicket := history.Exploration{Scenario: "batch", Mode: "kill", Crashes: 1, Complete: true}
	return history.Explorations{Schema: history.ExplorationsSchema, Runs: []history.Exploration{one("operation-id", "simulate"), violated, bounded, unreached, noTicket}, LeftOut: []string{"planted bugs"}}
}

func TestExplorationsJUnit_Fates(t *testing.T) {
	j := readJUnit(t, written(t, reports.ExplorationsJUnit, searches()))
	want := []string{
		"refund/operation-id: T-90104/all/larkfield/all, simulate, up to 2 faults: passed",
		"refund/operation-id: T-90104/all/larkfield/all, kill, up to 2 faults: skipped undecided: 9 states after --max-runs 57",
		"refund/naive-retry: T-90104/all/larkfield/all, simulate, up to 2 faults: failure double-write, trail",
		"refund/restart: T-90104/all/larkfield/all, simulate, up to 2 faults: error not reached: kill a.b/during#1",
		"batch: -/all/-/all, kill, up to 1 fault: passed",
		"left out: planted bugs: skipped not run",
	}
	if diff := cmp.Diff(want, j.results()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := j.Suites[1].Cases[0].Failure.Text; !strings.Contains(text, "trail with 1 fault, 1 effect\na gap\nplan kill a.b/before#1\nreplay paytwice replay 'kill a.b/before#1'") {
		t.Errorf("the second class is not told:\n%s", text)
	}
}

func audits() history.Audit {
	a := history.Audit{Planted: []history.Planted{
		{Name: "planted/no-key", Doc: "sends no key", Invariant: "double-write", Ticket: "T-90104", Provider: "larkfield", Strategy: "operation-id", Mode: "simulate", Caught: true, Plan: "kill a.b/after#1", Faults: 1},
		{Name: "planted/quiet", Doc: "says nothing", Invariant: "trail", Ticket: "T-90104", Provider: "larkfield", Strategy: "operation-id", Mode: "kill", Others: []string{"attempts", "lost-write"}},
	}}
	a.Sum()
	return a
}

func sweep() history.Exec {
	return history.Exec{Schema: history.ExecSchema, Calls: 125, Cases: 253, Landed: 253, States: 31, Kills: history.ExecColumn{Cases: 250, Landed: 250, States: 29, Violations: map[string]int{"double-write": 7, "odd": 1}},
		PowerLoss: &history.ExecColumn{Cases: 3, Landed: 3, States: 2, Violations: map[string]int{}}, Complete: true, Model: "sectors of 512 bytes", Outside: []string{"/tmp/x"}, Mapped: []string{"db-shm"}, Reordered: 17,
		Violations: []history.ExecViolation{{Invariant: "double-write", Plan: "kill write charges.log/after#1", Call: "write", Path: "charges.log", Detail: "charge stands there twice", Replay: "paytwice exec --plan 'x' -- ./p"}}}
}

func TestAuditJUnit_Fates(t *testing.T) {
	want := []string{
		"planted/no-key/operation-id: T-90104/all/larkfield/all, simulate, to be caught by double-write: passed",
		"planted/quiet/operation-id: T-90104/all/larkfield/all, kill, to be caught by trail: failure trail",
	}
	if diff := cmp.Diff(want, readJUnit(t, written(t, reports.AuditJUnit, audits())).results()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExecJUnit_Fates(t *testing.T) {
	violation := "exec: -/-/-/kill write charges.log/after#1: double-write: failure double-write"
	for name, c := range map[string]struct {
		change func(*history.Exec)
		want   []string
	}{
		"violation":  {func(*history.Exec) {}, []string{violation, "exec: -/-/-/every other case: passed"}},
		"incomplete": {func(e *history.Exec) { e.Complete, e.LeftOut = false, "7 kills" }, []string{violation, "exec: -/-/-/every other case: skipped undecided: 7 kills"}},
		"not landed": {func(e *history.Exec) { e.Landed-- }, []string{violation, "exec: -/-/-/every other case: error 252 of 253 cases landed"}},
		"nothing":    {func(e *history.Exec) { *e = history.Exec{Complete: true} }, []string{"exec: -/-/-/every other case: error 0 of 0 cases landed"}},
		"not listed": {func(e *history.Exec) { e.Violations = nil }, []string{"exec: -/-/-/every other case: failure violation"}},
	} {
		e := sweep()
		c.change(&e)
		if diff := cmp.Diff(c.want, readJUnit(t, written(t, reports.ExecJUnit, e)).results()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHistoryJUnit_Fates(t *testing.T) {
	plan := history.History{Scenario: "refund", Strategy: "naive-retry", Provider: "larkfield", Plan: "kill a.b/after#1",
		Lives:  []history.Life{{Events: make([]history.Event, 41), Ended: history.Killed, At: "a.b/after#1"}, {Events: make([]history.Event, 1), Ended: history.Done}},
		Ledger: []history.Effect{{RecordID: "RF-1", Payload: "refund 9.95", AmountCents: 995, Currency: "CAD", OperationID: "797f", Reversed: true}, {RecordID: "RF-2", Payload: "refund 9.95", OperationID: "request-1"}}}
	name := "refund/naive-retry: -/all/larkfield/kill a.b/after#1: "
	for fate, c := range map[string]struct {
		verdict    history.Verdict
		violations []string
		leftOut    string
		want       string
	}{
		"pass":               {history.Pass, nil, "", "passed"},
		"violation":          {history.Violated, []string{"double-write", "trail"}, "", "failure double-write, trail"},
		"unnamed violation":  {history.Violated, nil, "", "failure -"},
		"a pass that is not": {history.Pass, []string{"trail"}, "", "failure trail"},
		"undecided":          {history.Undecided, nil, "", "skipped undecided: a bound was reached"},
		"interrupted":        {history.Undecided, nil, "the replay was interrupted", "skipped undecided: the replay was interrupted"},
		"no verdict":         {"", nil, "", `error no verdict that this build knows: ""`},
	} {
		h := plan
		h.Verdict, h.Violations, h.LeftOut = c.verdict, c.violations, c.leftOut
		for _, v := range c.violations {
			h.Broken = append(h.Broken, history.Violation{Invariant: v, Detail: "because of " + v})
		}
		j := readJUnit(t, written(t, reports.HistoryJUnit, h))
		if diff := cmp.Diff([]string{name + c.want}, j.results()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", fate, diff)
			continue
		}
		out := "plan kill a.b/after#1\nlife 1: 41 events, killed at a.b/after#1\nlife 2: 1 event, ended: done\n" +
			"in the ledger RF-1 · refund 9.95 · 9.95 CAD · 797f, taken back\nin the ledger RF-2 · refund 9.95 · - · request-1"
		if got := j.Suites[0].Cases[0].Out; !strings.HasPrefix(got, out) {
			t.Errorf("%s: (-want +got):\n%s", fate, cmp.Diff(out, got))
		}
		for _, v := range c.violations {
			if text := j.Suites[0].Cases[0].Failure.Text; !strings.Contains(text, "\n"+v+": because of "+v) {
				t.Errorf("%s: %s is not told in\n%s", fate, v, text)
			}
		}
	}
}

// TestJUnit_Schema: every kind of report is valid by the schema of Jenkins.
func TestJUnit_Schema(t *testing.T) {
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("needs xmllint")
	}
	valid := func(text string) (string, bool) {
		c := exec.Command(xmllint, "--noout", "--nonet", "--schema", "testdata/junit/jenkins-junit.xsd", "-")
		c.Stdin = strings.NewReader(text)
		out, err := c.CombinedOutput()
		return string(out), err == nil
	}
	documents := map[string]string{
		"every fate":   written(t, reports.MatrixJUnit, everyFate()),
		"no cell":      written(t, reports.MatrixJUnit, history.Matrix{}),
		"searches":     written(t, reports.ExplorationsJUnit, searches()),
		"audit":        written(t, reports.AuditJUnit, audits()),
		"exec":         written(t, reports.ExecJUnit, sweep()),
		"empty exec":   written(t, reports.ExecJUnit, history.Exec{}),
		"history":      written(t, reports.HistoryJUnit, hostile()),
		"no history":   written(t, reports.HistoryJUnit, history.History{}),
		"fault":        written(t, func(w io.Writer, err error) error { return reports.FaultJUnit(w, "matrix", err) }, errors.New("a kill did not land\x00]]>")),
		"hostile":      written(t, reports.MatrixJUnit, hostileMatrix()),
		"hostile, too": written(t, reports.ExplorationsJUnit, hostileSearches()),
	}
	for name, a := range layouts {
		documents[name] = written(t, reports.MatrixJUnit, filled(a))
	}
	for name, text := range documents {
		if out, ok := valid(text); !ok {
			t.Errorf("%s: %s", name, out)
		}
	}
	// The check is one: what the schema forbids is seen.
	for _, wrong := range []string{`<testsuites><testsuite tests="0"/></testsuites>`, `<testsuites><testsuite name="a" tests="1"><testcase name="b"><failure/><skipped/></testcase></testsuite></testsuites>`} {
		if _, ok := valid(wrong); ok {
			t.Errorf("valid: %s", wrong)
		}
	}
}

// TestJUnit_Names: GitLab drops a case whose name and class it has seen.
func TestJUnit_Names(t *testing.T) {
	m := filled(layouts["one action, two strategies"])
	m.Cells = append(m.Cells, m.Cells...)
	texts := []string{written(t, reports.MatrixJUnit, m), written(t, reports.ExplorationsJUnit, history.Explorations{Runs: append(searches().Runs, searches().Runs...)})}
	for name, a := range layouts {
		j := written(t, reports.MatrixJUnit, filled(a))
		if got, want := readJUnit(t, j).Tests, len(filled(a).Cells); got != want {
			t.Errorf("%s: %d cases of %d cells", name, got, want)
		}
		texts = append(texts, j)
	}
	for _, text := range texts {
		seen := map[string]bool{}
		for _, s := range readJUnit(t, text).Suites {
			for _, c := range s.Cases {
				key := fmt.Sprintf("%s %s", c.Class, c.Name)
				if seen[key] || c.Class != s.Name {
					t.Errorf("twice, or of another class than its suite: %s", key)
				}
				seen[key] = true
			}
		}
	}
}

// What no kill could reach is in every format, so in this one too.
func TestExecJUnit_Unreached(t *testing.T) {
	text := written(t, reports.ExecJUnit, sweep())
	for _, want := range []string{"not put back: /tmp/x", "stores are not seen: db-shm"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
