package reports_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/reports"
)

// evil is a ticket's text that tries to break out of every format: a script element, an XML section, a table
// cell, a link and a mention, a terminal's escapes, NUL, an override of the reading direction, and commands to
// GitHub's runner.
const evil = "x</script><script>alert(1)</script>]]><!--|`*_a_[l](javascript:1) @admin https://e.example \x1b[31m\x1b]0;t\x07\u009b2J\x00\x7f\u202eabc\u2066\u200e\u061c\ufeff\u200b\U000e0041\r\n| 9 |\u2028\ufffe\xff ::error::y\n::add-mask::z ##[command]q"

func hostileMatrix() history.Matrix {
	m := filled(axes{actions: []string{evil, evil + "2"}, points: []string{"before-write", "mid-loop " + evil}, strategies: []string{"operation-id", evil}, providers: []string{"larkfield"}})
	for i := range m.Cells {
		c := &m.Cells[i]
		c.Ticket, c.Currency, c.Status, c.OperationID, c.Replay = evil, evil, evil, evil, evil
		if len(c.Violations) > 0 {
			c.Violations = []string{"double-write", evil}
		}
	}
	m.Unfilled, m.LeftOut, m.Shard = []string{evil}, evil, evil
	m.Sum()
	return m
}

// hostileMap has the same texts where strategies meet profiles.
func hostileMap() history.Matrix {
	m := filled(axes{actions: []string{evil}, points: lessonPoints, strategies: []string{"operation-id", evil}, providers: []string{"larkfield", evil}})
	m.Sum()
	return m
}

func hostileSearches() history.Explorations {
	d := searches()
	for i := range d.Runs {
		e := &d.Runs[i]
		e.Scenario, e.Ticket, e.Strategy, e.Provider, e.LeftOut, e.Faults = evil, evil, evil, evil, evil, []string{evil}
		for j := range e.Violations {
			e.Violations[j] = history.Counterexample{Invariant: evil, Plan: evil, Detail: evil, Replay: evil}
		}
	}
	d.Runs[2].Complete = false
	d.LeftOut = []string{evil}
	class := []history.ViolationClass{{Scenario: evil, Strategy: evil, Provider: evil, Point: evil, Invariant: evil}}
	d.Ratchet = &history.Ratchet{New: class, Known: class, Gone: class, Open: class}
	return d
}

func hostileAudit() history.Audit {
	a := history.Audit{Planted: []history.Planted{{Name: evil, Doc: evil, Invariant: evil, Ticket: evil, Provider: evil, Strategy: evil, Mode: evil, Plan: evil, Others: []string{evil}}}}
	a.Sum()
	a.LeftOut = evil
	return a
}

func hostileSweep() history.Exec {
	e := sweep()
	e.Violations = []history.ExecViolation{{Invariant: evil, Plan: evil, Call: evil, Path: evil, Detail: evil, Replay: evil}}
	e.Complete, e.LeftOut, e.Outside, e.Mapped, e.Model = false, evil, []string{evil}, []string{evil}, evil
	return e
}

func matrixText(w io.Writer, m history.Matrix) error {
	return reports.MatrixText(w, m, reports.Style{})
}

// everywhere returns the hostile documents in every format there is, by "document as format".
func everywhere(t testing.TB) map[string]string {
	t.Helper()
	h := hostile()
	h.Scenario, h.Strategy, h.Provider = evil, evil, evil
	plain := reports.Style{}
	out := map[string]string{}
	for name, m := range map[string]history.Matrix{"matrix": hostileMatrix(), "map": hostileMap()} {
		out[name+" as text"] = written(t, matrixText, m)
		out[name+" as markdown"] = written(t, reports.MatrixMarkdown, m)
		out[name+" as junit"] = written(t, reports.MatrixJUnit, m)
		out[name+" as svg"] = written(t, reports.MatrixSVG, m)
		out[name+" as json"] = written(t, reports.WriteJSON, any(m))
		out[name+" as html"] = written(t, page.Write, any(m))
	}
	d := hostileSearches()
	out["searches as text"] = written(t, func(w io.Writer, d history.Explorations) error { return reports.ExplorationsText(w, d, plain) }, d)
	out["search as text"] = written(t, func(w io.Writer, e history.Exploration) error { return reports.ExplorationText(w, e, plain) }, d.Runs[1])
	out["searches as markdown"] = written(t, reports.ExplorationsMarkdown, d)
	out["searches as junit"] = written(t, reports.ExplorationsJUnit, d)
	out["searches as annotations"] = written(t, reports.WriteAnnotations, reports.ExplorationsAnnotations(d))
	out["searches as json"] = written(t, reports.WriteJSON, any(d))
	out["searches as html"] = written(t, page.Write, any(d))
	a := hostileAudit()
	out["audit as text"] = written(t, func(w io.Writer, a history.Audit) error { return reports.AuditText(w, a, plain) }, a)
	out["audit as markdown"] = written(t, reports.AuditMarkdown, a)
	out["audit as junit"] = written(t, reports.AuditJUnit, a)
	out["audit as annotations"] = written(t, reports.WriteAnnotations, reports.AuditAnnotations(a))
	out["audit as html"] = written(t, page.Write, any(a))
	e := hostileSweep()
	out["exec as text"] = written(t, func(w io.Writer, e history.Exec) error { return reports.ExecText(w, e, plain) }, e)
	out["exec as markdown"] = written(t, reports.ExecMarkdown, e)
	out["exec as junit"] = written(t, reports.ExecJUnit, e)
	out["exec as annotations"] = written(t, reports.WriteAnnotations, reports.ExecAnnotations(e))
	out["exec as html"] = written(t, page.Write, any(e))
	out["history as text"] = written(t, func(w io.Writer, h history.History) error { return reports.HistoryText(w, h, plain) }, h)
	out["history as markdown"] = written(t, reports.HistoryMarkdown, h)
	out["story as markdown"] = written(t, reports.StoryMarkdown, h)
	out["history as junit"] = written(t, reports.HistoryJUnit, h)
	out["history as annotations"] = written(t, reports.WriteAnnotations, reports.HistoryAnnotations(h))
	out["history as html"] = written(t, page.Write, any(h))
	return out
}

// TestFormats_Inert: no format obeys what a ticket says, and none lets it break out.
func TestFormats_Inert(t *testing.T) {
	for name, text := range everywhere(t) {
		for _, wrong := range escaped(name, text) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// escaped returns how a text breaks out of its format.
func escaped(name, text string) []string {
	var out []string
	complain := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if !utf8.ValidString(text) {
		complain("no UTF-8")
	}
	format := name[strings.LastIndex(name, " ")+1:]
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && obeyed(r) }); i >= 0 && format != "html" {
		complain("an obeyed rune: %.80q", text[max(0, i-30):])
	}
	switch format {
	case "junit", "svg":
		out = append(out, brokenXML(text)...)
	case "markdown":
		out = append(out, brokenMarkdown(text)...)
	case "html":
		// The page's own elements: one style, two scripts, of which one is data.
		if n := strings.Count(strings.ToLower(text), "</script"); n != 2 {
			complain("%d ends of scripts", n)
		}
		if strings.Contains(text, "<script>alert") || strings.Contains(text, "\x1b") || strings.Contains(text, "\x00") {
			complain("a script or an escape of the ticket's")
		}
	case "json":
		if !json.Valid([]byte(text)) {
			complain("no JSON")
		}
	}
	if format == "text" || format == "annotations" {
		for _, line := range strings.Split(text, "\n") {
			command := strings.HasPrefix(strings.TrimLeft(line, " \t"), "::") && (format != "annotations" || !strings.HasPrefix(line, "::error title=") && !strings.HasPrefix(line, "::warning title="))
			if command || strings.Contains(line, "##[") {
				complain("a command to the runner: %.120s", line)
			}
		}
	}
	return out
}

// obeyed are the runes that no format may show as they are, told by themselves: what a terminal obeys, what
// turns the direction of reading, what can't be seen, and what XML forbids.
func obeyed(r rune) bool {
	for _, span := range [][2]rune{{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x61c, 0x61c}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x2064},
		{0x2066, 0x206f}, {0xfeff, 0xfeff}, {0xfffe, 0xffff}, {0xe0020, 0xe007f}} {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// brokenXML returns what is wrong with XML: it does not parse, or has elements that no writer of ours makes.
func brokenXML(text string) []string {
	own := "testsuites testsuite properties property testcase failure error skipped system-out svg title desc style rect text path g"
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return []string{err.Error()}
		}
		switch token := token.(type) {
		case xml.StartElement:
			if !strings.Contains(" "+own+" ", " "+token.Name.Local+" ") {
				return []string{"an element " + token.Name.Local}
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" || a.Name.Local == "src" {
					return []string{"an attribute " + a.Name.Local}
				}
			}
		case xml.Comment, xml.Directive:
			return []string{fmt.Sprintf("%T", token)}
		}
	}
}

var (
	escapedMark = regexp.MustCompile(`\\[[:punct:]]`)
	ownMarkup   = regexp.MustCompile(`<br>|</?details>|</?summary>`)
)

// brokenMarkdown returns what of a Markdown page would start mark-up, once what the writers themselves write is
// taken away.
func brokenMarkdown(text string) []string {
	var out []string
	bars := 0
	for _, line := range strings.Split(text, "\n") {
		// What a code span holds is shown as it stands.
		plain := escapedMark.ReplaceAllString(ownMarkup.ReplaceAllString(codeSpans(line), ""), "")
		switch {
		case strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "|--:"):
			bars = strings.Count(line, "|")
		case strings.HasPrefix(line, "| ") && bars > 0:
			if n := strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""), "|"); n != bars {
				out = append(out, fmt.Sprintf("%d bars, %d in the head: %.300s", n, bars, line))
			}
			plain = escapedMark.ReplaceAllString(line, "") // There is no code span in our tables.
		case line == "":
			bars = 0
		}
		for _, mark := range []string{"<", "](", "@a", "://", "`"} {
			if strings.Contains(plain, mark) {
				out = append(out, fmt.Sprintf("%q in %.300s", mark, plain))
			}
		}
	}
	return out
}

// codeSpans takes the code spans out of a line, by CommonMark's rule: a run of backticks is closed by the next
// run of the same length, and a backslash before the opening one makes it a text.
func codeSpans(line string) string {
	runs := regexp.MustCompile("\\\\?`+").FindAllStringIndex(line, -1)
	var out strings.Builder
	at := 0
	for i := 0; i < len(runs); i++ {
		open := line[runs[i][0]:runs[i][1]]
		if strings.HasPrefix(open, `\`) {
			continue
		}
		for j := i + 1; j < len(runs); j++ {
			if strings.TrimPrefix(line[runs[j][0]:runs[j][1]], `\`) == open {
				out.WriteString(line[at:runs[i][0]])
				at, i = runs[j][1], j
				break
			}
		}
	}
	return out.String() + line[at:]
}

// TestFormats_InertSeen sees the check fail for each way out.
func TestFormats_InertSeen(t *testing.T) {
	for name, text := range map[string]string{
		"a span in a table as markdown":    "| a | b |\n|---|---|\n| ` | ` |",
		"half a span as markdown":          "- a ` b",
		"an escape as text":                "a\x1b[31m",
		"a command as text":                "a\n  ::error::x",
		"an older command as text":         "a ##[error]x",
		"a command as annotations":         "::error title=a::b\n::add-mask::c",
		"an element as junit":              "<testsuites><script/></testsuites>",
		"a bare ampersand as junit":        "<testsuites>&</testsuites>",
		"a comment as svg":                 "<svg><!-- a --></svg>",
		"an event as svg":                  `<svg onload="a"></svg>`,
		"a bar as markdown":                "| a | b |\n|---|---|\n| c | d | e |",
		"an element as markdown":           "a <b>",
		"a link as markdown":               `a [b](c)`,
		"a mention as markdown":            "a @admin",
		"an address as markdown":           "https://e.example",
		"a script as html":                 "<script></script><script>alert(1)</script></script>",
		"half a document as json":          `{"a":`,
		"a direction as json":              "{\"a\":\"\u202e\"}",
		"an element after a ` as markdown": "a \\`<b>`",
	} {
		if got := escaped(name, text); len(got) == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
	if got := escaped("as markdown", "| a | b |\n|---|---|\n| c \\| d | e |\n\n- ``a ` <b> @admin``<br>`c`"); len(got) > 0 {
		t.Errorf("harmless: %q", got)
	}
}

// formats are the formats that a number of a document must show in.
func formats[D any](t *testing.T, forms map[string]func(io.Writer, D) error) func(D) map[string]string {
	return func(d D) map[string]string {
		out := map[string]string{}
		for name, write := range forms {
			out[name] = written(t, write, d)
		}
		return out
	}
}

// TestFormats_EveryNumber: each number of a document's JSON, changed by itself, changes every format.
func TestFormats_EveryNumber(t *testing.T) {
	small := filled(axes{actions: []string{refund}, points: []string{"before-write", "agent.step/after#1"}, strategies: all[:2], providers: profiles[:1]})
	charted := filled(axes{actions: []string{refund}, points: []string{"after-write"}, strategies: all[:2], providers: profiles[:2]})
	matrixForms := formats(t, map[string]func(io.Writer, history.Matrix) error{"markdown": reports.MatrixMarkdown, "junit": reports.MatrixJUnit, "svg": reports.MatrixSVG,
		"html": asPage[history.Matrix]})
	everyNumber(t, "matrix", small, matrixForms)
	everyNumber(t, "map", charted, matrixForms)
	everyNumber(t, "searches", searches(), formats(t, map[string]func(io.Writer, history.Explorations) error{"markdown": reports.ExplorationsMarkdown, "junit": reports.ExplorationsJUnit, "html": asPage[history.Explorations]}))
	everyNumber(t, "audit", audits(), formats(t, map[string]func(io.Writer, history.Audit) error{"markdown": reports.AuditMarkdown, "junit": reports.AuditJUnit, "html": asPage[history.Audit]}))
	everyNumber(t, "exec", sweep(), formats(t, map[string]func(io.Writer, history.Exec) error{"markdown": reports.ExecMarkdown, "junit": reports.ExecJUnit, "html": asPage[history.Exec]}))
}

// TestFormats_EveryFigureOfAHistory: what was done and how it ended, changed in a history, changes every format. The
// numbers of events, and what the judge alone reads, are no figures.
func TestFormats_EveryFigureOfAHistory(t *testing.T) {
	write := formats(t, map[string]func(io.Writer, history.History) error{"markdown": reports.HistoryMarkdown, "story": reports.StoryMarkdown, "junit": reports.HistoryJUnit, "html": asPage[history.History]})
	before := write(hostile())
	for name, change := range map[string]func(*history.History){
		"an amount":           func(h *history.History) { h.Ledger[0].AmountCents += 11 },
		"a change more":       func(h *history.History) { h.Ledger = append(h.Ledger, h.Ledger[0]) },
		"a change less":       func(h *history.History) { h.Ledger = nil },
		"a change taken back": func(h *history.History) { h.Ledger[0].Reversed = true },
		"a life less":         func(h *history.History) { h.Lives = h.Lives[1:] },
		"another end":         func(h *history.History) { h.Lives[1].Ended = history.Person },
		"a violation more":    func(h *history.History) { h.Violations = append(h.Violations, "trail") },
		"another verdict":     func(h *history.History) { h.Verdict, h.Violations, h.Broken = history.Pass, nil, nil },
		"what is left out":    func(h *history.History) { h.Verdict, h.LeftOut = history.Undecided, "all of it" },
		"another plan":        func(h *history.History) { h.Plan = "kill a.b/after#2" },
	} {
		h := hostile()
		change(&h)
		for format, got := range write(h) {
			if got == before[format] {
				t.Errorf("%s does not show in %s", name, format)
			}
		}
	}
}

func asPage[D any](w io.Writer, d D) error { return page.Write(w, d) }

func everyNumber[D any](t *testing.T, name string, d D, write func(D) map[string]string) {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	before := write(d)
	numbers := regexp.MustCompile(`"([a-z_-]+)":(-?[0-9]+)`).FindAllSubmatchIndex(text, -1)
	if len(numbers) < 10 && name != "audit" {
		t.Fatalf("%s: only %d numbers", name, len(numbers))
	}
	for _, at := range numbers {
		n, err := strconv.ParseInt(string(text[at[4]:at[5]]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Join([][]byte{text[:at[4]], []byte(strconv.FormatInt(n+11, 10)), text[at[5]:]}, nil)
		var other D
		if err := json.Unmarshal(changed, &other); err != nil {
			t.Fatal(err)
		}
		for format, got := range write(other) {
			if got == before[format] {
				t.Errorf("%s as %s does not show %s: …%s…", name, format, text[at[2]:at[3]], text[max(0, at[0]-120):at[1]])
			}
		}
	}
}
