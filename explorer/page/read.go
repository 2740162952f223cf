package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
)

// What a report may hold; a page of more would not open in a browser.
const (
	MaxReportBytes = 64 << 20
	MaxRows        = 20_000
	// MaxSpots bounds the maps: their cells, empty ones too, are the product of what the rows name.
	MaxSpots = 200_000
)

// Read reads a saved report: the JSON of any document, by its schema. Nothing of it is taken on trust:
// fields that are unknown, of another type or out of their range are errors, and so is anything after the
// document.
//
// Errors: ErrReport with what is wrong, and where; what r returns.
func Read(r io.Reader) (any, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxReportBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxReportBytes {
		return nil, bad("it is larger than %d MB", MaxReportBytes>>20)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, bad("%s", reason(err))
	}
	if err := history.CheckKeys(text); err != nil {
		return nil, bad("%s", err)
	}
	switch head.Schema {
	case history.MatrixSchema:
		return readAs(text, checkMatrix)
	case history.ExploreSchema:
		return readAs(text, checkExploration)
	case history.ExplorationsSchema:
		return readAs(text, checkExplorations)
	case history.AuditSchema:
		return readAs(text, checkAudit)
	case history.ExecSchema:
		return readAs(text, checkExec)
	case history.Schema:
		return readAs(text, checkHistory)
	case "":
		return nil, bad(`it has no "schema"; save one with --format json`)
	}
	return nil, bad("its schema %s is none of those that this paytwice reads", quote(head.Schema))
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrReport, fmt.Sprintf(format, args...))
}

// quote shows a text of the report, shortened: it may be anything.
func quote(s string) string { return fmt.Sprintf("%q", short(s, 60)) }

func short(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// reason says what is wrong in words that need no knowledge of Go.
func reason(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var at *time.ParseError
	switch {
	case errors.As(err, &kind):
		what := "the document"
		if kind.Field != "" {
			what = quote(kind.Field)
		}
		return fmt.Sprintf("%s at byte %d is %s where another kind of value belongs", what, kind.Offset, article(strings.TrimSpace(kind.Value)))
	case errors.As(err, &syntax):
		return fmt.Sprintf("no JSON at byte %d: %s", syntax.Offset, syntax)
	case errors.As(err, &at):
		return fmt.Sprintf("%s is no time such as 2026-01-31T12:00:00Z", quote(at.Value))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends before it is whole"
	}
	return short(strings.TrimPrefix(err.Error(), "json: "), 120)
}

func article(kind string) string {
	if strings.HasPrefix(kind, "array") || strings.HasPrefix(kind, "object") {
		return "an " + kind
	}
	return "a " + kind
}

func readAs[T any](text []byte, check func(*checker, T)) (any, error) {
	var document T
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&document); err != nil {
		return nil, bad("%s", reason(err))
	}
	c := &checker{}
	check(c, document)
	if c.rows > MaxRows {
		c.fail("it has %d rows, and a page shows at most %d", c.rows, MaxRows)
	}
	if c.wrong != "" {
		return nil, bad("%s", c.wrong)
	}
	return document, nil
}

// checker keeps the first thing that is wrong with a document.
type checker struct {
	wrong string
	rows  int
}

func (c *checker) fail(format string, args ...any) {
	if c.wrong == "" {
		c.wrong = fmt.Sprintf(format, args...)
	}
}

func (c *checker) oneOf(at, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		c.fail("%s is %s, none of %s", at, quote(value), strings.Join(allowed, ", "))
	}
}

func (c *checker) counts(at string, values ...int64) {
	for _, v := range values {
		if v < 0 {
			c.fail("%s has a count below 0", at)
		}
	}
}

// mostFigure is the largest whole number that a browser's numbers still tell from the next.
const mostFigure = 1 << 53

// figures are counts that the page holds as numbers, not as texts.
func (c *checker) figures(at string, values ...int) {
	for _, v := range values {
		c.counts(at, int64(v))
		if int64(v) > mostFigure {
			c.fail("%s has a count above %d, which a page would round", at, int64(mostFigure))
		}
	}
}

func (c *checker) verdict(at string, v history.Verdict) {
	c.oneOf(at+".verdict", string(v), string(history.Pass), string(history.Violated), string(history.Undecided))
}

func (c *checker) mode(at, mode string) { c.oneOf(at+"mode", mode, "kill", "simulate") }

func checkMatrix(c *checker, m history.Matrix) {
	c.mode("", m.Mode)
	c.rows = len(m.Cells)
	s := m.Summary
	c.counts("summary", int64(s.Cells), int64(s.Landed), int64(s.DoubleWrites), int64(s.LostWrites), int64(s.HandedToPerson), int64(s.Undecided))
	for i, cell := range m.Cells {
		at := fmt.Sprintf("cells[%d]", i)
		c.verdict(at, cell.Verdict)
		c.figures(at, cell.Effects, cell.Calls, cell.Lookups, cell.Incarnations, cell.ModelCalls)
		c.counts(at, cell.AmountCents)
		if cell.Strategy == "" || cell.Point == "" || cell.Provider == "" {
			c.fail("%s names no strategy, point or provider", at)
		}
		if (cell.Verdict == history.Violated) != (len(cell.Violations) > 0) {
			c.fail("%s: its verdict and its violations do not agree", at)
		}
	}
	if c.rows > MaxRows {
		return
	}
	if n := axesOf(m).spots(); n > MaxSpots {
		c.fail("its maps would have %d cells, and a page shows at most %d: run fewer strategies, points or profiles", n, MaxSpots)
	}
}

func checkExploration(c *checker, e history.Exploration) { checkSearch(c, "", e) }

func checkExplorations(c *checker, e history.Explorations) {
	for i, run := range e.Runs {
		checkSearch(c, fmt.Sprintf("runs[%d].", i), run)
	}
}

func checkSearch(c *checker, at string, e history.Exploration) {
	c.mode(at, e.Mode)
	c.rows += 1 + len(e.Violations)
	if e.Scenario == "" {
		c.fail("%sscenario is missing", at)
	}
	search := cmp.Or(strings.TrimSuffix(at, "."), "the search")
	c.figures(search, e.Crashes, e.Points, e.Incarnations, e.States, e.ModelCalls, e.ModelCallsMost)
	c.counts(search, e.PlansCovered, e.PlansDistinct, e.HandedToPerson)
	for i, v := range e.Violations {
		if v.Invariant == "" {
			c.fail("%sviolations[%d] names no invariant", at, i)
		}
		c.figures(fmt.Sprintf("%sviolations[%d]", at, i), v.Faults, v.Effects)
	}
	if len(e.Violations) == 0 && len(e.Classes) > 0 {
		c.fail("%s: its violations and their classes do not agree", search)
	}
	if e.Complete && e.Incarnations == 0 {
		c.fail("%s is complete and ran nothing", search)
	}
}

func checkAudit(c *checker, a history.Audit) {
	c.rows = len(a.Planted)
	c.counts("audit", int64(a.Caught), int64(a.Total))
	caught := 0
	for i, p := range a.Planted {
		if p.Caught {
			caught++
		}
		if p.Name == "" || p.Invariant == "" {
			c.fail("planted[%d] names no bug or no invariant", i)
		}
		c.figures(fmt.Sprintf("planted[%d]", i), p.Faults)
	}
	if a.Caught != caught {
		c.fail("caught is %d, and %d of planted are", a.Caught, caught)
	}
	// An audit that was interrupted counts those that it did not run.
	if n := len(a.Planted); a.Total < n || a.Total > n && a.LeftOut == "" {
		c.fail("total is %d, planted has %d, and left_out is %s", a.Total, n, quote(a.LeftOut))
	}
}

func checkExec(c *checker, e history.Exec) {
	c.rows = len(e.Violations)
	c.counts("exec", int64(e.Calls), int64(e.Cases), int64(e.Landed), int64(e.States))
	if e.Complete && e.LeftOut != "" {
		c.fail("it says that it is complete and that it left something out")
	}
	if e.Landed > e.Cases {
		c.fail("more cases landed than there are")
	}
	listed := map[string]bool{}
	for _, v := range e.Violations {
		listed[v.Invariant] = true
	}
	c.column("kills", e.Kills, listed)
	if e.PowerLoss != nil {
		c.column("power_loss", *e.PowerLoss, listed)
	}
	for i, v := range e.Violations {
		if v.Invariant == "" {
			c.fail("violations[%d] names no invariant", i)
		}
		if e.Kills.Violations[v.Invariant] == 0 && (e.PowerLoss == nil || e.PowerLoss.Violations[v.Invariant] == 0) {
			c.fail("violations[%d] is counted neither in kills nor in power_loss", i)
		}
	}
}

func (c *checker) column(at string, column history.ExecColumn, listed map[string]bool) {
	c.figures(at, column.Cases, column.Landed, column.States)
	if column.Landed > column.Cases {
		c.fail("%s: more cases landed than there are", at)
	}
	for _, n := range slices.Sorted(maps.Keys(column.Violations)) {
		c.counts(at, int64(column.Violations[n]))
		if column.Violations[n] > 0 && !listed[n] {
			c.fail("%s counts cases of %s, and violations lists none", at, n)
		}
	}
}

func checkHistory(c *checker, h history.History) {
	c.verdict("history", h.Verdict)
	if found := len(h.Violations)+len(h.Broken) > 0; found && h.Verdict == history.Pass || !found && h.Verdict == history.Violated {
		c.fail("its verdict and its violations do not agree")
	}
	if h.Verdict == history.Pass && len(h.Lives) == 0 {
		c.fail("it passes and has no lives")
	}
	c.rows = len(h.Ledger)
	for i, life := range h.Lives {
		c.rows += len(life.Events)
		c.oneOf(fmt.Sprintf("lives[%d].ended", i), string(life.Ended), string(history.Killed), string(history.Done), string(history.Person), string(history.Failed))
	}
}
