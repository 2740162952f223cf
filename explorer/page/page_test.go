package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/page"
)

// write returns the page of a document.
func write(t testing.TB, document any) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, document); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// documents are one of each kind, every text of theirs the given one.
func documents(text string) map[string]any {
	cell := history.Cell{Ticket: text, Action: 1, Tool: text, OperationID: text, What: text, Point: text, Strategy: text, Provider: text, Plan: text, Landed: true, Effects: 2,
		AmountCents: 1990, Currency: text, Calls: 2, Incarnations: 2, ModelCalls: 2, Status: text, Verdict: history.Violated, Violations: []string{text}, Replay: text}
	m := history.Matrix{Schema: history.MatrixSchema, Scenario: text, Mode: "kill", Seed: 1, Cells: []history.Cell{cell}, Notes: []string{text}}
	m.Sum()
	e := history.Exploration{Schema: history.ExploreSchema, Scenario: text, Ticket: text, Strategy: text, Provider: text, Mode: "simulate", Crashes: 2, Faults: []string{text}, Seed: 1, Points: 3,
		PlansCovered: 4, Incarnations: 5, States: 6, PlansDistinct: 7, HandedToPerson: 8, Unreached: []string{text}, LeftOut: text,
		Violations: []history.Counterexample{{Invariant: text, Plan: text, Faults: 1, Effects: 2, Detail: text, Replay: text}}}
	write := &history.Request{Write: true, Intent: text, Key: text, What: "request_refund LK " + text, Payload: text}
	return map[string]any{
		"matrix":       m,
		"exploration":  e,
		"explorations": history.Explorations{Schema: history.ExplorationsSchema, Runs: []history.Exploration{e, e}, LeftOut: []string{text}},
		"audit": history.Audit{Schema: history.AuditSchema, Total: 1, Planted: []history.Planted{{Name: text, Doc: text, Invariant: text, Ticket: text, Provider: text, Strategy: text,
			Mode: text, Plan: text, Others: []string{text}, Detail: text, Replay: text}}},
		"exec": history.Exec{Schema: history.ExecSchema, Calls: 3, Cases: 6, Landed: 5, States: 6, Kills: history.ExecColumn{Cases: 3, Landed: 2, States: 3, Violations: map[string]int{text: 4, "a": 1, "b": 2}},
			PowerLoss: &history.ExecColumn{Cases: 3, Landed: 2, States: 3, Violations: map[string]int{"lost-write": 4}}, LeftOut: text, Model: text, Outside: []string{text}, Mapped: []string{text},
			Violations: []history.ExecViolation{{Invariant: text, Plan: text, Call: text, Path: text, Detail: text, Replay: text}, {Invariant: "a"}, {Invariant: "b"}, {Invariant: "lost-write"}}},
		"history": history.History{Schema: history.Schema, Scenario: text, Strategy: text, Provider: text, Plan: text, Verdict: history.Violated, Violations: []string{text},
			Broken: []history.Violation{{Invariant: text, Detail: text}},
			Ledger: []history.Effect{{Tool: "request_refund", OperationID: text, RecordID: text, Payload: text, AmountCents: 1, Currency: text}},
			Lives: []history.Life{
				{Ended: history.Killed, At: text, Events: []history.Event{
					{N: 1, Seam: "payment", Operation: "request_refund", Position: "before", Call: 1, Request: write},
					{N: 2, Seam: "payment", Operation: "request_refund", Position: "during", Call: 1, Request: write},
					{N: 3, Seam: "a", Operation: "b", Position: "before", Call: 1}}},
				{Ended: history.Failed, Error: text, Events: []history.Event{
					{N: 1, Seam: "checkpoint", Operation: "load", Position: "after", Call: 1, Loaded: &history.Saved{Run: text, Operations: []history.Operation{{ID: text, Status: text, Attempts: 1}}}},
					{N: 2, Seam: "payment", Operation: "operation", Position: "after", Call: 1, Request: &history.Request{Ask: true, Intent: text}, Answer: history.Found, RecordID: text},
					{N: 3, Seam: "checkpoint", Operation: "save", Position: "after", Call: 1, Saved: &history.Saved{Run: text, Status: text, Operations: []history.Operation{{ID: text, Status: "pending"}}}}}},
			}},
	}
}

const hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)><!--<script>\x1b]0;x\x07\u2028\u202e' \" &lt; {{.}} {0} %s %d |`"

// obeyed returns what a page would do because of a text in it, empty if it is inert.
func obeyed(html string) string {
	if got := [2]int{strings.Count(strings.ToLower(html), "<script"), strings.Count(strings.ToLower(html), "</script")}; got != [2]int{2, 2} {
		return fmt.Sprintf("%v script tags open and close, not two", got)
	}
	if strings.Contains(html, "<img") || strings.Count(html, "<!--") > 0 {
		return "markup from outside"
	}
	if i := strings.IndexFunc(html, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == 0x2028 || r == 0x202e }); i >= 0 {
		return fmt.Sprintf("a control character: %.80q", html[max(0, i-40):])
	}
	data := html[strings.Index(html, `id="data">`)+len(`id="data">`):]
	data = data[:strings.Index(data, "</script>")]
	if strings.ContainsAny(data, "<>&") {
		return "markup in the data"
	}
	if !json.Valid([]byte(data)) {
		return "broken data"
	}
	if strings.Contains(data, "%!") {
		return "a text that was taken for a format"
	}
	return ""
}

func TestWrite_HostileTextIsInert(t *testing.T) {
	for name, document := range documents(hostile) {
		html := write(t, document)
		if wrong := obeyed(html); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		if !strings.Contains(html, `alert(1)`) {
			t.Errorf("%s: the text is not shown at all", name)
		}
	}
}

// TestObeyed sees the check fail.
func TestObeyed(t *testing.T) {
	good := write(t, documents("text")["matrix"])
	if wrong := obeyed(good); wrong != "" {
		t.Fatal(wrong)
	}
	for name, html := range map[string]string{
		"script":  strings.Replace(good, `"text"`, `"</script><script>"`, 1),
		"image":   strings.Replace(good, `"text"`, `"<img src=x>"`, 1),
		"control": strings.Replace(good, `"text"`, "\"\x1b[2J\"", 1),
		"markup":  strings.Replace(good, `"text"`, `"<b>"`, 1),
		"format":  strings.Replace(good, `"text"`, `"%!s(MISSING)"`, 1),
		"broken":  strings.Replace(good, `"text"`, `text`, 1),
	} {
		if obeyed(html) == "" {
			t.Errorf("%s goes unseen", name)
		}
	}
}

// The same document gives the same bytes, also where it holds maps.
func TestWrite_SameBytes(t *testing.T) {
	for name := range documents("text") {
		first := write(t, documents("text")[name])
		for range 5 {
			if write(t, documents("text")[name]) != first {
				t.Errorf("%s: two pages of one document differ", name)
			}
		}
	}
}

func TestWrite_NoDocument(t *testing.T) {
	for _, document := range []any{nil, "text", 1, struct{}{}, &history.Matrix{}} {
		var b bytes.Buffer
		if err := page.Write(&b, document); !errors.Is(err, page.ErrNoDocument) {
			t.Errorf("%T: %v", document, err)
		}
		if b.Len() > 0 {
			t.Errorf("%T: something is written", document)
		}
	}
}

// Each number of a report is on its page: changed by one, it gives another page, or none.
func TestWrite_EveryNumber(t *testing.T) {
	numbers := 0
	// A history numbers its events, and keeps for the judge what a story does not tell: what was on record between the
	// ends of two lives, too.
	untold := regexp.MustCompile(`"(n|call|seq|step|model_calls|attempts)":$`)
	for _, name := range []string{"matrix", "exploration", "explorations", "audit", "exec", "history"} {
		text, err := json.Marshal(documents("text")[name])
		if err != nil {
			t.Fatal(err)
		}
		original := write(t, reread(t, text))
		for _, at := range regexp.MustCompile(`[:\[](\d+)[,}\]]`).FindAllSubmatchIndex(text, -1) {
			if name == "history" && untold.Match(text[:at[2]]) {
				continue
			}
			changed := bytes.Clone(text)
			changed[at[3]-1] = "1234567890"[changed[at[3]-1]-'0']
			document, err := page.Read(bytes.NewReader(changed))
			if err != nil && !errors.Is(err, page.ErrReport) {
				t.Fatal(err)
			}
			if err != nil {
				continue // What contradicts the rest of its document is refused.
			}
			if write(t, document) == original {
				t.Errorf("%s: the page does not tell %s from %s", name, text[max(0, at[2]-20):at[3]], changed[max(0, at[2]-20):at[3]])
			}
			numbers++
		}
	}
	if numbers < 40 {
		t.Errorf("only %d numbers were changed", numbers)
	}
}

func reread(t *testing.T, text []byte) any {
	t.Helper()
	document, err := page.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// A summary that does not agree with its cells is shown, and the disagreement said.
func TestWrite_SummaryDisagrees(t *testing.T) {
	m := documents("text")["matrix"].(history.Matrix)
	const said = `"The summary of this report does not agree with its cells.","Le résumé`
	if got := strings.Count(write(t, m), said); got != 1 {
		t.Errorf("said %d times of one that agrees", got-1)
	}
	m.Summary.DoubleWrites = 0
	if got := strings.Count(write(t, m), said); got != 2 {
		t.Errorf("said %d times of one that does not agree", got-1)
	}
}

// A document that is not whole says so: an interruption, a part of a run, a point that nothing passes.
func TestWrite_NotWhole(t *testing.T) {
	const left = "left out here"
	m := documents("text")["matrix"].(history.Matrix)
	m.LeftOut, m.Shard, m.Unfilled = left, "2/7", []string{"mid-loop"}
	a := documents("text")["audit"].(history.Audit)
	a.LeftOut = left
	h := documents("text")["history"].(history.History)
	h.LeftOut = left
	e := documents("text")["explorations"].(history.Explorations)
	e.Shard = "2/7"
	class := history.ViolationClass{Scenario: "refund", Point: "a.b/after", Invariant: "double-write"}
	e.Ratchet = &history.Ratchet{New: []history.ViolationClass{class}}
	for name, c := range map[string]struct {
		document any
		want     []string
	}{
		"matrix":       {m, []string{"Undecided. Left out: " + left, "This is part 2/7 of a run.", "No strategy passes mid-loop."}},
		"audit":        {a, []string{"Undecided. Left out: " + left}},
		"history":      {h, []string{"Undecided. Left out: " + left}},
		"explorations": {e, []string{"This is part 2/7 of a run.", "refund · a.b/after · double-write"}},
	} {
		html := write(t, c.document)
		for _, want := range c.want {
			if !slices.Contains(notes(t, html), want) && !strings.Contains(html, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
}

// Nothing that is not known to be well is marked as well.
func TestWrite_NoFalseGreen(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*history.Cell)
		want   string
	}{
		"pass":            {func(*history.Cell) {}, "safe"},
		"other invariant": {func(c *history.Cell) { c.Verdict, c.Violations = history.Violated, []string{"attempts"} }, "broken"},
		"undecided":       {func(c *history.Cell) { c.Verdict = history.Undecided }, "open"},
		"no verdict":      {func(c *history.Cell) { c.Verdict = "" }, "open"},
		"not landed":      {func(c *history.Cell) { c.Landed = false }, "missed"},
		"lost": {func(c *history.Cell) {
			c.Effects, c.Verdict, c.Violations = 0, history.Violated, []string{"lost-write"}
		}, "lost"},
		"twice":  {func(c *history.Cell) { c.Effects = 2 }, "double"},
		"never":  {func(c *history.Cell) { c.Effects = 0 }, "open"},
		"person": {func(c *history.Cell) { c.HandedToPerson = true }, "person"},
	} {
		cell := history.Cell{Strategy: "s", Point: "p", Provider: "v", Landed: true, Effects: 1, Verdict: history.Pass}
		c.change(&cell)
		if !strings.Contains(write(t, history.Matrix{Cells: []history.Cell{cell}}), `"marks":["`+c.want+`"]`) {
			t.Errorf("%s is not marked %s", name, c.want)
		}
	}
}

// A sweep over a program is well only where it is whole, every case of it struck, and there were cases.
func TestWrite_NoFalseGreenExec(t *testing.T) {
	whole := history.ExecColumn{Cases: 2, Landed: 2, States: 1}
	const noted, unsaid = "Undecided. Left out: 3 of 5 kills", "Undecided: the run was not whole, and does not say what it left out."
	for name, c := range map[string]struct {
		exec history.Exec
		mark string
		note string
	}{
		"whole":               {history.Exec{Cases: 2, Landed: 2, Kills: whole, Complete: true}, "safe", ""},
		"nothing but a name":  {history.Exec{}, "open", unsaid},
		"no cases":            {history.Exec{Complete: true}, "missed", ""},
		"not complete":        {history.Exec{Cases: 2, Landed: 2, Kills: whole}, "open", unsaid},
		"left out":            {history.Exec{Cases: 2, Landed: 2, Kills: whole, LeftOut: "3 of 5 kills"}, "open", noted},
		"one did not land":    {history.Exec{Cases: 3, Landed: 2, Kills: history.ExecColumn{Cases: 3, Landed: 2}, Complete: true}, "missed", ""},
		"stopped at a kill":   {history.Exec{Cases: 3, Landed: 2, Kills: history.ExecColumn{Cases: 3, Landed: 2}, LeftOut: "3 of 5 kills"}, "open", noted},
		"one did not recover": {history.Exec{Cases: 2, Landed: 2, Kills: history.ExecColumn{Cases: 2, Landed: 2, Violations: map[string]int{"never-ends": 1}}}, "broken", unsaid},
	} {
		html := write(t, c.exec)
		if !strings.Contains(html, `"marks":["`+c.mark+`"]`) {
			t.Errorf("%s is not marked %s", name, c.mark)
		}
		if got := strings.Join(notes(t, html), "\n"); got != c.note {
			t.Errorf("%s says %q, not %q", name, got, c.note)
		}
	}
}

// A sweep counts cases and lists plans: each number says which it is, and the worst rule that a kind of crash breaks
// gives it its mark.
func TestWrite_ExecCounts(t *testing.T) {
	e := history.Exec{Cases: 8, Landed: 8, Complete: true, Kills: history.ExecColumn{Cases: 8, Landed: 8, States: 3, Violations: map[string]int{"never-ends": 1, "double-write": 5}},
		Violations: []history.ExecViolation{{Invariant: "double-write"}, {Invariant: "never-ends"}}}
	html := write(t, e)
	for _, want := range []string{`"marks":["double"]`, `["double-write in 5 of 8 cases, never-ends in 1 of 8 cases","double-write dans 5 cas sur 8, never-ends dans 1 cas sur 8"]`,
		`["Classes of violation","Classes de violation"]`} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not hold %s", want)
		}
	}
}

// pageData is what a page holds: its texts, one where both languages say the same, a pair otherwise.
type pageData struct {
	Texts  map[string]any `json:"texts"`
	Pool   []any          `json:"pool"`
	Report struct {
		Notes [][]int `json:"notes"`
	} `json:"report"`
}

func dataOf(t *testing.T, html string) pageData {
	t.Helper()
	_, text, _ := strings.Cut(html, `id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	var data pageData
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// notes returns the notes of a page in English.
func notes(t *testing.T, html string) []string {
	t.Helper()
	data := dataOf(t, html)
	var out []string
	for _, note := range data.Report.Notes {
		var parts []string
		for _, i := range note {
			said := data.Pool[i]
			if both, ok := said.([]any); ok {
				said = both[0]
			}
			parts = append(parts, said.(string))
		}
		out = append(out, strings.Join(parts, " "))
	}
	return out
}

// In French a colon keeps to its word, and a number to its noun's form.
func TestWrite_French(t *testing.T) {
	data := dataOf(t, write(t, theExplorer(t)))
	said := slices.Clone(data.Pool)
	for _, text := range data.Texts {
		said = append(said, text)
	}
	pairs := 0
	for _, text := range said {
		both, ok := text.([]any)
		if !ok {
			continue
		}
		pairs++
		for _, wrong := range []string{" :", " ;", " !", " ?", "(s)"} {
			if strings.Contains(both[1].(string), wrong) {
				t.Errorf("%q in %s", wrong, both[1])
			}
		}
	}
	if pairs < 200 {
		t.Errorf("%d texts: is everything read?", pairs)
	}
}

// The policy names exactly the style and the script that stand in the page.
func TestPolicy(t *testing.T) {
	html := write(t, documents("text")["matrix"])
	for kind, pattern := range map[string]string{"script": `(?s)<script>(.*?)</script>`, "style": `(?s)<style>(.*?)</style>`} {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(html, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements %s", len(found), kind)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := kind + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(page.Policy(), want) {
			t.Errorf("the policy %s does not hold %s", page.Policy(), want)
		}
	}
	if strings.Contains(page.Policy(), "unsafe") {
		t.Error("the policy allows something unsafe")
	}
	if outside := regexp.MustCompile(`(?i)(https?:)?//[a-z0-9.]+`).FindAllString(strings.ReplaceAll(html, "http://www.w3.org/2000/svg", ""), -1); len(outside) > 0 {
		t.Errorf("the page names %q", outside)
	}
}

// Ten thousand cells, no two alike in their texts, stay below five megabytes.
func TestWrite_TenThousandCells(t *testing.T) {
	if size := len(write(t, manyCells())); size > 5<<20 || size < 1<<20 {
		t.Errorf("%d bytes", size)
	}
}

// manyCells is a matrix of ten thousand cells, every second of which pays twice.
func manyCells() history.Matrix {
	m := history.Matrix{Schema: history.MatrixSchema, Scenario: "refund", Mode: "simulate"}
	for i := range 10_000 {
		ticket, strategy, provider := fmt.Sprintf("T-%05d", i/150), fmt.Sprintf("strategy-%d", i/15%10), fmt.Sprintf("provider-%d", i%15)
		m.Cells = append(m.Cells, history.Cell{Ticket: ticket, Action: 1, Tool: "request_refund", OperationID: fmt.Sprintf("%016x", i), What: "request_refund LK-" + ticket + " 9.95 CAD RFD-LATE", Point: "after-write",
			Strategy: strategy, Provider: provider, Plan: fmt.Sprintf("kill payment.request_refund/after#%d", i%7), Landed: true, Effects: 1 + i%2, AmountCents: int64(i), Currency: "CAD", Calls: 2, Verdict: history.Pass,
			Replay: "paytwice replay --ticket " + ticket + " --strategy " + strategy + " --provider " + provider + fmt.Sprintf(" 'kill payment.request_refund/after#%d'", i%7)})
	}
	for i := range 77 {
		m.Notes = append(m.Notes, fmt.Sprintf("no cell: note %d", i))
	}
	m.Sum()
	return m
}

// Reading what was written loses nothing.
func TestRead_Documents(t *testing.T) {
	for name, want := range documents("text") {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := reread(t, text)
		if reflect.TypeOf(got) != reflect.TypeOf(want) {
			t.Fatalf("%s: read as %T", name, got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestRead_Wrong(t *testing.T) {
	cell := `{"strategy":"s","point":"p","provider":"v","verdict":"pass","violations":[]}`
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"", "no JSON at byte 0"},
		"no object":          {"[]", "the document at byte 1 is an array"},
		"text":               {"hello", "no JSON at byte 1"},
		"no schema":          {"{}", `no "schema"`},
		"other schema":       {`{"schema":"` + strings.Repeat("x", 500) + `"}`, "…"},
		"later schema":       {`{"schema":"paytwice.matrix/2"}`, "none of those that this paytwice reads"},
		"two documents":      {`{"schema":"paytwice.audit/1"}{}`, "no JSON at byte"},
		"unknown field":      {`{"schema":"paytwice.audit/1","extra":1}`, `unknown field "extra"`},
		"another type":       {`{"schema":"paytwice.audit/1","total":"1"}`, `"total" at byte`},
		"fraction":           {`{"schema":"paytwice.audit/1","total":1.5}`, `"total" at byte`},
		"overflow":           {`{"schema":"paytwice.audit/1","total":99999999999999999999}`, `"total" at byte`},
		"mode":               {`{"schema":"paytwice.matrix/1","mode":"maybe"}`, `mode is "maybe"`},
		"negative":           {`{"schema":"paytwice.matrix/1","mode":"kill","summary":{"cells":-1}}`, "summary has a count below 0"},
		"negative amount":    {`{"schema":"paytwice.matrix/1","mode":"kill","cells":[{"strategy":"s","point":"p","provider":"v","verdict":"pass","amount_cents":-5}]}`, "cells[0] has a count below 0"},
		"nameless cell":      {`{"schema":"paytwice.matrix/1","mode":"kill","cells":[{"verdict":"pass"}]}`, "cells[0] names no strategy"},
		"verdict disagree":   {`{"schema":"paytwice.matrix/1","mode":"kill","cells":[{"strategy":"s","point":"p","provider":"v","verdict":"pass","violations":["lost-write"]}]}`, "do not agree"},
		"history passes":     {`{"schema":"paytwice.history/1","verdict":"pass","violations":["double-write"]}`, "its verdict and its violations do not agree"},
		"history is broken":  {`{"schema":"paytwice.history/1","verdict":"pass","violations":[],"broken":[{"invariant":"double-write","detail":"twice"}]}`, "its verdict and its violations do not agree"},
		"history says what":  {`{"schema":"paytwice.history/1","verdict":"violation","violations":[]}`, "its verdict and its violations do not agree"},
		"classes alone":      {`{"schema":"paytwice.explore/1","scenario":"s","mode":"kill","complete":true,"violations":[],"classes":[{"invariant":"lost-write","point":"p","plan":"kill p"}]}`, "its violations and their classes do not agree"},
		"classes of a run":   {`{"schema":"paytwice.explorations/1","runs":[{"scenario":"s","mode":"kill","complete":true,"classes":[{"invariant":"lost-write"}]}]}`, "runs[0]: its violations and their classes do not agree"},
		"caught too many":    {`{"schema":"paytwice.audit/1","planted":[{"name":"a","invariant":"attempts","caught":false}],"caught":1,"total":1}`, "caught is 1, and 0 of planted are"},
		"caught none at all": {`{"schema":"paytwice.audit/1","planted":[],"caught":30,"total":30}`, "caught is 30, and 0 of planted are"},
		"planted elsewhere":  {`{"schema":"paytwice.audit/1","planted":[],"caught":0,"total":30}`, "total is 30, planted has 0, and left_out is \"\""},
		"planted beyond":     {`{"schema":"paytwice.audit/1","planted":[{"name":"a","invariant":"attempts"}],"left_out":"x"}`, "total is 0, planted has 1"},
		"uncounted":          {`{"schema":"paytwice.exec/1","cases":1,"landed":1,"kills":{"cases":1,"landed":1,"violations":{}},"violations":[{"invariant":"lost-write"}],"complete":true}`, "violations[0] is counted neither in kills nor in power_loss"},
		"rounded effects":    {`{"schema":"paytwice.matrix/1","mode":"kill","cells":[{"strategy":"s","point":"p","provider":"v","verdict":"pass","effects":9007199254740993}]}`, "cells[0] has a count above 9007199254740992"},
		"rounded states":     {`{"schema":"paytwice.explore/1","scenario":"s","mode":"kill","states":9007199254740993}`, "the search has a count above"},
		"rounded faults":     {`{"schema":"paytwice.explore/1","scenario":"s","mode":"kill","violations":[{"invariant":"trail","faults":9007199254740993}]}`, "violations[0] has a count above"},
		"rounded planted":    {`{"schema":"paytwice.audit/1","total":1,"planted":[{"name":"a","invariant":"attempts","faults":9007199254740993}]}`, "planted[0] has a count above"},
		"complete, less":     {`{"schema":"paytwice.exec/1","complete":true,"left_out":"interrupted"}`, "complete and that it left something out"},
		"too many landed":    {`{"schema":"paytwice.exec/1","cases":1,"landed":2}`, "more cases landed than there are"},
		"too many kills":     {`{"schema":"paytwice.exec/1","cases":2,"landed":2,"kills":{"cases":1,"landed":2}}`, "kills: more cases landed than there are"},
		"unlisted":           {`{"schema":"paytwice.exec/1","cases":1,"landed":1,"kills":{"cases":1,"landed":1,"violations":{"lost-write":1}},"violations":[],"complete":true}`, "kills counts cases of lost-write, and violations lists none"},
		"nothing ran":        {`{"schema":"paytwice.explore/1","scenario":"refund","mode":"simulate","complete":true}`, "the search is complete and ran nothing"},
		"no lives":           {`{"schema":"paytwice.history/1","verdict":"pass"}`, "it passes and has no lives"},
		"rounded kills":      {`{"schema":"paytwice.exec/1","kills":{"landed":9007199254740993}}`, "kills has a count above"},
		"negative kills":     {`{"schema":"paytwice.exec/1","power_loss":{"cases":-1}}`, "power_loss has a count below 0"},
		"negative broken":    {`{"schema":"paytwice.exec/1","kills":{"violations":{"lost-write":-1}}}`, "kills has a count below 0"},
		"ended":              {`{"schema":"paytwice.history/1","verdict":"pass","lives":[{"ended":"happily"}]}`, `lives[0].ended is "happily"`},
		"search":             {`{"schema":"paytwice.explorations/1","runs":[{"mode":"kill"}]}`, "runs[0].scenario is missing"},
		"too many rows":      {`{"schema":"paytwice.matrix/1","mode":"kill","cells":[` + strings.Repeat(cell+",", page.MaxRows) + cell + `]}`, "at most 20000"},
		"twice":              {`{"schema":"paytwice.audit/1","total":1,"caught":0,"total":2}`, `"total" is there twice in one object, the second to byte 57`},
		"twice, in capitals": {`{"schema":"paytwice.audit/1","total":1,"Total":2}`, `"Total", to byte 46, is no field's name`},
		"twice, deep":        {`{"schema":"paytwice.audit/1","planted":[{"name":"a"},{"name":"a","doc":"","name":"b"}]}`, `"name" is there twice`},
		"time":               {`{"schema":"paytwice.history/1","lives":[{"events":[{"at":"` + strings.Repeat("x", 500) + `"}]}]}`, "is no time such as 2026-01-31T12:00:00Z"},
		"long field":         {`{"schema":"paytwice.audit/1","` + strings.Repeat("x", 500) + `":1}`, "…"},
		"wide":               {wide(400), "its maps would have 128320000 cells, and a page shows at most 200000"},
		"too large":          {`{"schema":"` + strings.Repeat(" ", page.MaxReportBytes), "larger than 64 MB"},
		"deep":               {`{"schema":"paytwice.audit/1","planted":` + strings.Repeat("[", 20_000), "no JSON at byte"},
	} {
		_, err := page.Read(strings.NewReader(c.text))
		if !errors.Is(err, page.ErrReport) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || len(err.Error()) > 250) {
			t.Errorf("%s: not one short line: %q", name, err)
		}
	}
}

// Plans are counted up to the largest number there is, and that is read.
func TestRead_AsManyPlansAsThereAre(t *testing.T) {
	html := write(t, reread(t, []byte(`{"schema":"paytwice.explore/1","scenario":"s","mode":"kill","plans_covered":9223372036854775807}`)))
	if !strings.Contains(html, `"9223372036854775807"`) {
		t.Error("the page does not tell how many plans there are")
	}
}

// wide is a small matrix that would make large maps: each cell has a strategy, a point and a profile of its own.
func wide(n int) string {
	var cells []string
	for i := range n {
		cells = append(cells, fmt.Sprintf(`{"strategy":"s%d","point":"p%d","provider":"v%d","verdict":"pass","violations":[]}`, i, i, i))
	}
	return `{"schema":"paytwice.matrix/1","mode":"kill","cells":[` + strings.Join(cells, ",") + `]}`
}

// The widest matrix that is read makes a page that a browser opens.
func TestRead_Wide(t *testing.T) {
	if size := len(write(t, reread(t, []byte(wide(40))))); size > 5<<20 {
		t.Errorf("%d bytes", size)
	}
}

// Whatever can be read makes a page that is inert, and nothing else stops the reader.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"text", hostile} {
		for _, document := range documents(text) {
			seed, err := json.Marshal(document)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		document, err := page.Read(bytes.NewReader(text))
		if err != nil {
			if !errors.Is(err, page.ErrReport) {
				t.Fatal(err)
			}
			return
		}
		if wrong := obeyed(write(t, document)); wrong != "" {
			t.Error(wrong)
		}
	})
}
