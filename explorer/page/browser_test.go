package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/explorer/story"
)

// lessonCases are the lesson's own figures: refunds, what the customer gets, calls.
var lessonCases = []struct {
	stop, how, resume string
	english, french   string
}{
	{"before-write", "", "id", "1 · 9.95 CAD · 1", "1 · 9,95 $ CA · 1"},
	{"before-write", "", "new", "1 · 9.95 CAD · 1", "1 · 9,95 $ CA · 1"},
	{"during-call", "kill", "id", "1 · 9.95 CAD · 1", "1 · 9,95 $ CA · 1"},
	{"during-call", "kill", "new", "2 · 19.90 CAD · 2", "2 · 19,90 $ CA · 2"},
	{"during-call", "timeout", "id", "1 · 9.95 CAD · 1", "1 · 9,95 $ CA · 1"},
	{"during-call", "timeout", "new", "2 · 19.90 CAD · 2", "2 · 19,90 $ CA · 2"},
	{"after-write", "", "id", "1 · 9.95 CAD · 1", "1 · 9,95 $ CA · 1"},
	{"after-write", "", "new", "2 · 19.90 CAD · 2", "2 · 19,90 $ CA · 2"},
}

// Both controls through all six cases, and the time-out beside the kill, in both languages: the lesson's
// counts, and the rows of the very runs.
func TestBrowser_SixCases(t *testing.T) {
	forTheGate(t)
	e := theExplorer(t)
	b := openTab(t, write(t, e))
	for _, language := range []string{"en", "fr"} {
		b.choose("language", language)
		if got := eval[string](b, `document.documentElement.lang`); got != language {
			t.Errorf("the page says that it is in %q", got)
		}
		for i, c := range lessonCases {
			b.choose("stop", c.stop)
			b.choose("resume", c.resume)
			if c.how != "" {
				b.choose("how", c.how)
			}
			name := fmt.Sprintf("%s, %s %s %s", language, c.stop, c.how, c.resume)
			want := c.english
			if language == "fr" {
				want = c.french
			}
			if got := b.text("#case-refunds") + " · " + b.text("#case-amount") + " · " + b.text("#case-calls"); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			if got := eval[bool](b, `document.getElementById("how").hidden`); got != (c.stop != "during-call") {
				t.Errorf("%s: the choice of how is hidden: %t", name, got)
			}
			told := caseOf(t, e, i)
			why := told.Told.Why.EN
			if language == "fr" {
				why = told.Told.Why.FR
			}
			if got := eval[string](b, `document.getElementById("case-why").textContent`); got != why {
				t.Errorf("%s: explained by %q, want %q", name, got, why)
			}
			var rows, records []string
			for n, r := range told.Told.Table() {
				text := r.What.EN
				if language == "fr" {
					text = r.What.FR
				}
				rows = append(rows, fmt.Sprintf("%d %s %s", n+1, r.Kind, text))
			}
			for _, r := range told.Ledger {
				records = append(records, r.RecordID)
			}
			got := eval[[]string](b, `[...document.querySelectorAll("#case-events tbody tr")].map((r) => r.cells[0].textContent + " " + r.className + " " + r.cells[2].textContent)`)
			if diff := cmp.Diff(rows, got); diff != "" {
				t.Errorf("%s: rows: %s", name, diff)
			}
			ledger := eval[[]string](b, `[...document.querySelectorAll("#case-ledger li")].map((r) => r.textContent.split(" · ")[0])`)
			if diff := cmp.Diff(records, ledger); diff != "" {
				t.Errorf("%s: refunds: %s", name, diff)
			}
		}
	}
	for how, want := range map[string]string{"kill": "during-call new", "timeout": ""} {
		b.choose("stop", "during-call")
		b.choose("how", how)
		if got := eval[string](b, `[...document.querySelectorAll('#six [aria-pressed="true"]')].map((x) => x.dataset.at).join()`); got != want {
			t.Errorf("%s: of the six, %q stands for the case", how, got)
		}
	}
	six := eval[[]string](b, `[...document.querySelectorAll("#six button")].map((x) => x.className + " " + x.getAttribute("aria-label"))`)
	want := []string{
		"safe Remboursements\u00a0: 1. Arrêt\u00a0: avant l’écriture. Reprise\u00a0: avec l’identifiant d’opération.",
		"safe Remboursements\u00a0: 1. Arrêt\u00a0: avant l’écriture. Reprise\u00a0: sans identifiant, comme une nouvelle requête.",
		"safe Remboursements\u00a0: 1. Arrêt\u00a0: pendant l’appel. Reprise\u00a0: avec l’identifiant d’opération.",
		"double Remboursements\u00a0: 2. Arrêt\u00a0: pendant l’appel. Reprise\u00a0: sans identifiant, comme une nouvelle requête.",
		"safe Remboursements\u00a0: 1. Arrêt\u00a0: après l’écriture, avant son enregistrement. Reprise\u00a0: avec l’identifiant d’opération.",
		"double Remboursements\u00a0: 2. Arrêt\u00a0: après l’écriture, avant son enregistrement. Reprise\u00a0: sans identifiant, comme une nouvelle requête.",
	}
	if diff := cmp.Diff(want, six); diff != "" {
		t.Error(diff)
	}
	for selector, want := range map[string]string{"#conclusion-count": "2 des 6 cas paient deux fois.", ".moral": "Le danger n’est pas le plantage. C’est de ne pas savoir si le changement a eu lieu."} {
		if got := b.text(selector); got != want {
			t.Errorf("%s: %q", selector, got)
		}
	}
}

// Each figure of a case is its own: with three that differ, none can stand for another.
func TestBrowser_EachFigure(t *testing.T) {
	forTheGate(t)
	e := theExplorer(t)
	e.Lesson.Cases = slices.Clone(e.Lesson.Cases)
	for i := range e.Lesson.Cases {
		c := &e.Lesson.Cases[i].Cell
		c.Effects, c.AmountCents, c.Calls = 10+i, int64(2000+i), 30+i
	}
	b := openTab(t, write(t, e))
	for i, c := range e.Lesson.Cases {
		stop, how, resume := c.Point, "kill", "new"
		if stop == "timeout" {
			stop, how = "during-call", "timeout"
		}
		if c.WithID {
			resume = "id"
		}
		b.choose("stop", stop)
		b.choose("how", how)
		b.choose("resume", resume)
		want := fmt.Sprintf("%d · 20.%02d CAD · %d", 10+i, i, 30+i)
		if got := b.text("#case-refunds") + " · " + b.text("#case-amount") + " · " + b.text("#case-calls"); got != want {
			t.Errorf("%s %s: %s, want %s", c.Point, resume, got, want)
		}
	}
}

// A choice above a map shows that layer: its cells say so, and hold the figures of its own cases.
func TestBrowser_Layers(t *testing.T) {
	forTheGate(t)
	e := theExplorer(t)
	b := openTab(t, write(t, e))
	for i, provider := range []string{"larkfield", "blind", "no-key"} {
		b.run(fmt.Sprintf(`{ const s = document.querySelector(".map select"); s.value = %d; s.dispatchEvent(new Event("change")) }`, i))
		var want []string
		for _, c := range e.Map.Matrix.Cells {
			if c.Provider == provider {
				want = append(want, fmt.Sprintf("%s · %s · %s: %d", c.Strategy, c.Point, c.Provider, c.Effects))
			}
		}
		got := eval[[]string](b, `[...document.querySelector(".map").querySelectorAll("td > button:not([aria-disabled])")].map((x) => x.getAttribute("aria-label").split(",")[0])`)
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", provider, diff)
		}
	}
}

// caseOf returns the run behind a line of lessonCases.
func caseOf(t *testing.T, e page.Explorer, i int) page.Case {
	t.Helper()
	want := lessonCases[i]
	point := want.stop
	if want.how == "timeout" {
		point = "timeout"
	}
	for _, c := range e.Lesson.Cases {
		if c.Point == point && c.WithID == (want.resume == "id") {
			return c
		}
	}
	t.Fatalf("no case %v", want)
	return page.Case{}
}

// focused describes what has the focus: its name or its text.
func (b *tab) focused() string {
	b.t.Helper()
	return eval[string](b, `(() => { const e = document.activeElement; return e.name ? e.name + "=" + e.value : (e.id || e.getAttribute("aria-label") || e.textContent).trim(); })()`)
}

// visible reports whether the focus can be seen: an outline on the element, or on the label of a radio.
func (b *tab) visible() bool {
	b.t.Helper()
	return eval[bool](b, `(() => { const e = document.activeElement; const o = getComputedStyle(e.type === "radio" ? e.nextElementSibling : e); return o.outlineStyle !== "none" && parseFloat(o.outlineWidth) >= 2; })()`)
}

// The keyboard alone: to every control, through the choices, into a map, to a timeline and back.
func TestBrowser_KeyboardAlone(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, theExplorer(t)))
	expect := func(after, want string) {
		t.Helper()
		if got := b.focused(); got != want {
			t.Fatalf("after %s the focus is on %q, want %q", after, got, want)
		}
		if !b.visible() {
			t.Errorf("after %s the focus on %s can't be seen", after, want)
		}
	}
	b.keys(kb.Tab)
	expect("Tab", "Skip to the content")
	b.keys(kb.Tab)
	expect("Tab", "language=en")
	b.keys(kb.ArrowRight)
	expect("an arrow", "language=fr")
	if got := b.text("#lesson-title"); got != "Arrêter le processus autour d’un remboursement, puis le reprendre" {
		t.Errorf("in French the title is %q", got)
	}
	b.keys(kb.ArrowLeft, kb.Tab)
	expect("Tab", "stop=after-write")
	b.keys(kb.ArrowUp)
	expect("an arrow", "stop=during-call")
	b.keys(kb.Tab)
	expect("Tab", "resume=new")
	b.keys(kb.Tab)
	expect("Tab", "how=kill")
	b.keys(kb.ArrowDown)
	expect("an arrow", "how=timeout")
	if got := b.text("#case-events caption"); got != "Stop: during the call, by a time-out. Resume: without an id, as a new request." {
		t.Errorf("the caption is %q", got)
	}
	b.keys(kb.Tab, kb.Enter)
	if got := b.text("#case-events caption"); got != "Stop: before the write. Resume: with the operation id." {
		t.Errorf("a case of the six was opened, and the caption is %q", got)
	}
	expect("Enter", "Refunds: 1. Stop: before the write. Resume: with the operation id.")
	for range 6 {
		b.keys(kb.Tab)
	}
	expect("the six cases", "What the names mean")
	b.keys(kb.Enter)
	if got := b.text("#glossary dd"); got != "same id; asks first; calls only if it did not happen" || !eval[bool](b, `document.querySelector("#glossary dd").checkVisibility()`) {
		t.Errorf("the first name means %q, or can't be seen", got)
	}
	b.keys(kb.Tab)
	if got := eval[string](b, `document.activeElement.tagName`); got != "SELECT" {
		t.Fatalf("after the names comes %s", got)
	}
	b.keys(kb.Tab)
	expect("Tab", "operation-id · before-write · larkfield: 1, once")
	b.keys(kb.ArrowLeft, kb.ArrowUp)
	expect("arrows at the edge", "operation-id · before-write · larkfield: 1, once")
	b.keys(kb.ArrowDown, kb.End)
	expect("arrows", "naive-retry · after-write · larkfield: 2, twice or more")
	b.keys(kb.Home, kb.ArrowRight)
	expect("arrows", "naive-retry · during-call · larkfield: 2, twice or more")
	b.keys(kb.Enter)
	expect("Enter", "detail-title")
	b.keys(kb.Tab)
	expect("Tab", "Close")
	b.keys(kb.Enter)
	expect("closing", "naive-retry · during-call · larkfield: 2, twice or more")
}

// A cell opens its timeline: both lives, the kill between them, and both registers before and after.
func TestBrowser_CellOpensItsTimeline(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, theExplorer(t)))
	b.run(`document.querySelector('.map button[aria-label^="naive-retry · during-call"]').click()`)
	if got := eval[[]string](b, `[...document.querySelectorAll("#detail .timeline .level-3")].map((h) => h.textContent)`); len(got) != 2 || got[0] != "Life 1 of the process" {
		t.Errorf("lives: %q", got)
	}
	kill := `document.querySelectorAll("#detail [data-kill]")`
	if n := eval[int](b, kill+`.length`); n != 1 {
		t.Fatalf("%d marks of a kill", n)
	}
	if got := b.text("#detail [data-kill]"); got != "✕the process is killed during the call: done, and the answer never seen" {
		t.Errorf("the kill says %q", got)
	}
	// It can't be missed: a band as wide as the timeline, in the strongest colour.
	if got := eval[float64](b, kill+`[0].offsetWidth / document.querySelector("#detail .timeline").offsetWidth`); got < 0.95 {
		t.Errorf("the kill is %.0f%% as wide as the timeline", got*100)
	}
	if got := eval[[]string](b, `[...document.querySelectorAll("#detail .lanes.service")].map((l) => l.querySelectorAll("i.gone").length ? "lost" : "answered")`); strings.Join(got, " ") != "lost answered" {
		t.Errorf("the calls are drawn as %q", got)
	}
	registers := eval[[]string](b, `[...document.querySelectorAll("#detail .register")].map((r) => r.querySelector(".level-4").textContent + " | " + [...r.querySelectorAll(".sides > div")].map((s) => [...s.querySelectorAll("li")].map((l) => l.textContent).join(", ")).join(" | "))`)
	want := []string{
		"Before: when life 1 was killed | executing, 797fbb5bbb9f8a7e: pending, calls: 1 | RF-19F1064B · request_refund LK-793996 9.95 CAD RFD-LATE · request-1",
		"After: at the end of life 2 | done, 797fbb5bbb9f8a7e: done, calls: 2 | RF-19F1064B · request_refund LK-793996 9.95 CAD RFD-LATE · request-1, RF-6FC63565 · request_refund LK-793996 9.95 CAD RFD-LATE · request-2",
	}
	if diff := cmp.Diff(want, registers); diff != "" {
		t.Error(diff)
	}
	// The language changes under an open case.
	b.choose("language", "fr")
	if got := b.text("#detail .timeline .level-3"); got != "Vie 1 du processus" {
		t.Errorf("in French: %q", got)
	}
	if got := b.text("#detail .facts"); !strings.Contains(got, "Étatterminé") {
		t.Errorf("in French: %q", got)
	}
	// Several cases behind one cell are told apart.
	b.run(`document.querySelectorAll('.map')[1].querySelector('button[aria-label^="naive-retry · blind"]').click()`)
	if n := eval[int](b, `document.querySelectorAll("#detail .cases button").length`); n != 4 {
		t.Errorf("%d cases behind a cell of four points", n)
	}
	b.run(`document.querySelectorAll("#detail .cases button")[3].click()`)
	if got := b.text("#detail .facts"); !strings.Contains(got, "before-write") {
		t.Errorf("the last case, the best, is %q", got)
	}
}

// Every name on the maps is explained, in both languages, and what is open stays open.
func TestBrowser_Glossary(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, theExplorer(t)))
	b.run(`document.querySelector("#glossary summary").click()`)
	for language, want := range map[string]string{"en": "keys for ever", "fr": "clés gardées pour toujours"} {
		b.choose("language", language)
		named := eval[[]string](b, `[...new Set([...document.querySelectorAll(".map thead th, .map tbody th")].map((x) => x.textContent))].sort()`)
		explained := eval[[]string](b, `[...document.querySelectorAll("#glossary dt")].filter((x) => x.checkVisibility() && x.nextElementSibling.textContent.length > 10).map((x) => x.textContent).sort()`)
		if diff := cmp.Diff(named, explained); diff != "" {
			t.Errorf("%s (-named +explained):\n%s", language, diff)
		}
		if got := b.text("#glossary"); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %s", language, want, got)
		}
	}
	// Nothing can be opened on paper.
	b.run(`document.querySelector("#glossary summary").click(); dispatchEvent(new Event("beforeprint"))`)
	if !eval[bool](b, `document.querySelector("#glossary dt").checkVisibility()`) {
		t.Error("on paper the names mean nothing")
	}
}

// A page without maps has its legend and its glossary, too: the marks in its tables, the rules that are broken, the
// names of strategies and profiles, and what its numbers count.
func TestBrowser_LegendOfTables(t *testing.T) {
	forTheGate(t)
	documents := documents("mark-first")
	found := documents["explorations"].(history.Explorations)
	found.Runs[0].Violations[0].Invariant = "lost-write"
	sweep := documents["exec"].(history.Exec)
	sweep.Violations[0].Invariant = "never-ends"
	known := page.Glossary{Strategies: []page.Term{{Name: "mark-first", What: story.Same("notes, then acts")}}, Providers: []page.Term{{Name: "elsewhere", What: story.Same("not on this page")}}}
	for name, c := range map[string]struct {
		document any
		want     []string
	}{
		"searches": {page.Searched{Explorations: found, Glossary: known}, []string{"lost-write", "Plans covered", "Distinct plans", "mark-first", "notes, then acts"}},
		"exec":     {sweep, []string{"never-ends", "lost-write", "Durable calls", "Landed"}},
	} {
		b := openTab(t, write(t, c.document))
		b.run(`(document.querySelector("#glossary summary") || document.body).click()`)
		for _, want := range c.want {
			if got := eval[string](b, `document.getElementById("glossary").textContent`); !strings.Contains(got, want) || strings.Contains(got, "elsewhere") {
				t.Errorf("%s: no %q among what is explained, or more than is there: %s", name, want, got)
			}
		}
		unexplained := eval[[]string](b, `(() => { const told = new Set([...document.querySelectorAll("#legend svg use")].map((x) => x.getAttribute("href"))); return [...document.querySelectorAll(".rows .result use")].map((x) => x.getAttribute("href")).filter((x) => !told.has(x)); })()`)
		if len(unexplained) > 0 || !strings.Contains(b.text("#legend"), "no violation") {
			t.Errorf("%s: no legend of %q: %s", name, unexplained, b.text("#legend"))
		}
	}
}

// On a French page, what a report says in English says that it is English.
func TestBrowser_EnglishOnAFrenchPage(t *testing.T) {
	forTheGate(t)
	for name, c := range map[string]struct {
		document any
		want     int
	}{
		"searches": {documents("in English")["explorations"], 7}, // what each of two searches left out, its faults and its detail, and what was not run
		"history":  {documents("in English")["history"], 1},      // what broke it
		"exec":     {documents("in English")["exec"], 3},         // the model, what was left out, a detail
	} {
		b := openTab(t, write(t, c.document))
		marked := `[...document.querySelectorAll("#report [lang='en']")].map((x) => x.textContent)`
		if got := eval[[]string](b, marked); len(got) != 0 {
			t.Errorf("%s: an English page marks %q", name, got)
		}
		b.choose("language", "fr")
		got := eval[[]string](b, marked)
		for _, text := range got {
			if !strings.Contains(text, "in English") || strings.Contains(text, "Indécis") {
				t.Errorf("%s: %q is marked as English", name, text)
			}
		}
		if len(got) != c.want {
			t.Errorf("%s: %d texts are marked, %d wanted: %q", name, len(got), c.want, got)
		}
	}
}

// A saved matrix has no histories: its cells say so, and name the command that makes the timeline.
func TestBrowser_SavedMatrix(t *testing.T) {
	forTheGate(t)
	m := theExplorer(t).Map.Matrix
	b := openTab(t, write(t, m))
	open := `document.querySelector(".map button.double").click()`
	b.run(open)
	if got := b.text("#detail"); !strings.Contains(got, "there is no timeline here") || !strings.Contains(got, "paytwice replay --strategy naive-retry") || !strings.HasSuffix(got, "it writes the timeline as a page.") {
		t.Errorf("the case says %q", got)
	}
	m.Cells = slices.Clone(m.Cells)
	for i := range m.Cells {
		m.Cells[i].Replay = ""
	}
	c := openTab(t, write(t, m))
	c.run(open)
	if got := c.text("#detail"); !strings.Contains(got, "there is no timeline here") || strings.Contains(got, "runs the case again") {
		t.Errorf("without a replay line: %q", got)
	}
}

// A change of language under an open case leaves it as it is: told in that language, marked on the map or in the
// table, and closed back to its button.
func TestBrowser_LanguageUnderACase(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, theExplorer(t)))
	b.run(`{ const s = document.querySelector(".map select"); s.value = 3; s.dispatchEvent(new Event("change")) }`)
	for button, want := range map[string][2]string{
		`document.querySelector('.map button[aria-label^="naive-retry · during-call"]')`: {"Chronologie : naive-retry · during-call · le pire de tous les profils", "naive-retry · during-call · le pire de tous les profils: 3/3, deux fois ou plus"},
		`document.querySelectorAll("table.rows button")[4]`:                              {"Chronologie : operation-id · before-write · blind", "une personne décide. Ouvrir la chronologie\u00a0: operation-id · before-write · blind"},
	} {
		b.choose("language", "en")
		b.run(button + `.click()`)
		b.choose("language", "fr")
		if got := b.text("#detail-title"); got != want[0] {
			t.Errorf("the title is %q", got)
		}
		if strings.Contains(button, ".map") && eval[string](b, `[...document.querySelectorAll('.map [aria-pressed="true"]')].map((x) => x.getAttribute("aria-label")).join()`) != want[1] {
			t.Errorf("%s is not marked any more", want[1])
		}
		b.run(`document.querySelector("#detail .plain").click()`)
		if got := b.focused(); got != want[1] {
			t.Errorf("closed, the focus is on %.100q", got)
		}
		if n := eval[int](b, `document.querySelectorAll('.map [aria-pressed="true"]').length`); n != 0 {
			t.Errorf("closed, %d cells are still marked", n)
		}
	}
}

// The language that was chosen is still there when the page is opened again; a file opens as well.
func TestBrowser_LanguageIsKept(t *testing.T) {
	forTheGate(t)
	html := write(t, theExplorer(t))
	b := openTab(t, html)
	b.choose("language", "fr")
	b.do(chromedp.Reload())
	if got := b.text("#lesson-title"); !strings.HasPrefix(got, "Arrêter") {
		t.Errorf("opened again: %q", got)
	}
	if !eval[bool](b, `document.querySelector('input[value="fr"]').checked`) {
		t.Error("the choice does not say so")
	}
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(html), 0o600); err != nil {
		t.Fatal(err)
	}
	file := loose(t, html)
	// A browser that keeps nothing for a page must not keep it from working.
	file.run(`void Object.defineProperty(Storage.prototype, "setItem", { value() { throw new Error("no") } })`)
	file.choose("language", "fr")
	if got := file.text("#lesson-title"); !strings.HasPrefix(got, "Arrêter") {
		t.Errorf("without storage: %q", got)
	}
	file.do(chromedp.Navigate("file://" + name))
	if got := file.text("#case-refunds"); got != "2" {
		t.Errorf("as a file: %q refunds", got)
	}
}

// Narrow windows and large text: nothing makes the page itself scroll sideways.
func TestBrowser_NarrowAndLarge(t *testing.T) {
	forTheGate(t)
	for name, html := range map[string]string{"explorer": write(t, theExplorer(t)), "hostile": write(t, documents(strings.Repeat("W", 300))["explorations"]), "history": write(t, documents(strings.Repeat("W", 90))["history"])} {
		b := openTab(t, html)
		b.run(`for (const d of document.querySelectorAll("details")) d.open = true`)
		b.run(`(document.querySelector(".map button.double") || document.body).click()`)
		for _, language := range []string{"en", "fr"} {
			b.choose("language", language)
			for _, c := range []struct {
				what  string
				width int64
				text  string
			}{{"320 px", 320, ""}, {"390 px", 390, ""}, {"1280 px at 200%", 640, ""}, {"text at 200%", 1280, "200%"}, {"text at 200% on a small screen", 640, "200%"}} {
				b.size(c.width, 2)
				b.run(`document.documentElement.style.fontSize = "` + c.text + `"`)
				if got := eval[int64](b, `document.documentElement.scrollWidth`); got > c.width {
					t.Errorf("%s, %s, %s: the page is %d px wide: %s", name, language, c.what, got, eval[string](b, widest))
				}
			}
		}
	}
}

// On a small screen the six cases fit as they are, and a wide map keeps its strategies in sight.
func TestBrowser_MapsOnSmallScreens(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, theExplorer(t)))
	b.size(320, 2)
	for _, language := range []string{"en", "fr"} {
		b.choose("language", language)
		if got := eval[[]int64](b, `(() => { const s = document.querySelector("#six .scroll"); return [s.scrollWidth, s.clientWidth]; })()`); got[0] > got[1] {
			t.Errorf("%s: the six cases are %d px wide in %d", language, got[0], got[1])
		}
		left := eval[float64](b, `(() => { const s = document.querySelector(".map .scroll"); s.scrollLeft = 80; return s.scrollLeft ? s.querySelector("tbody th").getBoundingClientRect().left - s.getBoundingClientRect().left : -999; })()`)
		if left < 0 {
			t.Errorf("%s: scrolled aside, a strategy begins %.0f px from its map's edge", language, left)
		}
	}
}

// wideMap is a matrix with long names, and with more points than a screen or a paper is wide.
func wideMap(strategy string, points int) history.Matrix {
	m := history.Matrix{Schema: history.MatrixSchema, Scenario: "refund", Mode: "simulate"}
	for s := range 4 {
		for p := range points {
			m.Cells = append(m.Cells, history.Cell{Strategy: fmt.Sprint(strategy, s), Point: fmt.Sprintf("payment.request_refund/during-lost#%d", p), Provider: "larkfield", Landed: true, Effects: 1 + p%2, Verdict: history.Pass})
		}
	}
	m.Sum()
	return m
}

// However long its names and however many its columns, a map can be used: a name leaves room for cells, the cell that
// has the focus is in sight beside the names, and paper holds all of it.
func TestBrowser_WideMaps(t *testing.T) {
	forTheGate(t)
	for name, m := range map[string]history.Matrix{"one long word": wideMap(strings.Repeat("W", 300), 3), "long words": wideMap(strings.Repeat("wide-", 20), 3), "twelve points": wideMap("operation-id", 12), "many points": wideMap("operation-id", 53)} {
		b := openTab(t, write(t, m))
		for _, width := range []int64{320, 640, 1280} {
			b.size(width, 1)
			if got := eval[float64](b, `(() => { const s = document.querySelector(".map .scroll"); return s.querySelector("tbody th").offsetWidth / s.clientWidth; })()`); got > 0.5 {
				t.Errorf("%s, %d px: the names take %.0f%% of the map", name, width, 100*got)
			}
			if got := eval[int](b, `(() => { const s = document.querySelector(".map .scroll"); const row = [...s.querySelectorAll("tbody tr:first-child button")]; const edge = () => s.querySelector("tbody th").getBoundingClientRect().right;
				let hidden = 0; for (const x of [...row, ...row.reverse()]) { x.focus(); const r = x.getBoundingClientRect(); if (r.left < edge() - 1 || r.right > s.getBoundingClientRect().right + 1) hidden++; } return hidden; })()`); got > 0 {
				t.Errorf("%s, %d px: %d times a cell with the focus is out of sight", name, width, got)
			}
		}
		b.size(paperLength, 1)
		b.media("print", "light")
		if got := eval[float64](b, `Math.max(...[...document.querySelectorAll("table, table *")].map((x) => x.getBoundingClientRect().right))`); got > paperLength {
			t.Errorf("%s: on paper a table reaches to %.0f px of %d", name, got, paperLength)
		}
		last := fmt.Sprintf("during-lost#%d", len(m.Cells)/4-1)
		if shown := eval[string](b, `document.querySelector(".map").innerText + [...document.querySelectorAll(".map td")].map((x) => getComputedStyle(x, "::before").content).join()`); !strings.Contains(shown, last) {
			t.Errorf("%s: %s is not on the paper", name, last)
		}
	}
}

// A table that is wider than its place says so, in sight, and no other does; what lies out of sight makes no row tall.
func TestBrowser_WideTables(t *testing.T) {
	forTheGate(t)
	wide, narrow := openTab(t, write(t, theExplorer(t))), openTab(t, write(t, history.Exec{Cases: 1, Landed: 1, Kills: history.ExecColumn{Cases: 1, Landed: 1}, Complete: true}))
	hints := `[...document.querySelectorAll("#tables .hint")].filter((x) => x.checkVisibility()).map((x) => x.textContent).join()`
	for _, c := range []struct {
		language, want string
	}{{"en", "The table goes on to the right"}, {"fr", "Le tableau continue à droite"}} {
		for _, width := range []int64{1280, 390, 320} {
			wide.size(width, 1)
			wide.choose("language", c.language)
			if got := eval[string](wide, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(`+hints+`))))`); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, %d px: the hint is %q", c.language, width, got)
			}
		}
	}
	if got := eval[string](narrow, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(`+hints+`))))`); got != "" {
		t.Errorf("a table that is all there says %q", got)
	}
	wide.size(1280, 1)
	if got := eval[float64](wide, `Math.max(...[...document.querySelectorAll(".rows tbody tr")].map((x) => x.offsetHeight))`); got > 56 {
		t.Errorf("a row of single lines is %.0f px high", got)
	}
	wide.media("print", "light")
	if got := eval[string](wide, hints); got != "" {
		t.Errorf("on paper: %q", got)
	}
}

// On paper nothing of the default page is cut off, its words are words and not columns of letters, a row has its mark,
// a table says how much of it there is, and a map which of its layers it is.
func TestBrowser_Print(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, wholeExplorer(t)))
	b.run(`{ const s = document.querySelector(".map select"); s.value = 1; s.dispatchEvent(new Event("change")) }`)
	b.media("print", "light")
	for _, language := range []string{"en", "fr"} {
		b.choose("language", language)
		for selector, width := range map[string]int64{"#six": paperWidth, ".map": paperLength, "#tables": paperLength} {
			b.size(width, 1)
			if got := eval[int64](b, `Math.max(...[...document.querySelectorAll("`+selector+` table, `+selector+` table *")].map((x) => Math.ceil(x.getBoundingClientRect().right)))`); got > width {
				t.Errorf("%s: %s reaches to %d px of %d", language, selector, got, width)
			}
			for _, torn := range eval[[]string](b, torn(selector)) {
				t.Errorf("%s: %s is torn on paper", language, torn)
			}
		}
		if got := eval[float64](b, `Math.min(...[...document.querySelectorAll(".map tbody th")].map((x) => x.getBoundingClientRect().width))`); got < 60 {
			t.Errorf("%s: a strategy has %.0f px of the paper", language, got)
		}
		if got := eval[string](b, `[...document.querySelectorAll("#maps ~ :not(#tables)")].filter((x) => x.checkVisibility()).map((x) => x.id).join()`); got != "" {
			t.Errorf("%s: %s takes a page between those of the maps and the tables", language, got)
		}
		if n := eval[int](b, `[...document.querySelectorAll(".rows .result svg")].filter((x) => !x.checkVisibility()).length`); n > 0 {
			t.Errorf("%s: %d rows are without their marks", language, n)
		}
		shown := eval[string](b, `document.querySelector("#tables").innerText + document.querySelector(".map").innerText`)
		for _, want := range map[string][]string{"en": {"15 of 308 rows", "Provider profile: replay-all"}, "fr": {"15 lignes sur 308", "Profil de service\u00a0: replay-all"}}[language] {
			if !strings.Contains(shown, want) {
				t.Errorf("%s: %q is not on the paper: %.300s", language, want, shown)
			}
		}
	}
}

// The other documents have tables alone, with as many columns.
func TestBrowser_PrintTables(t *testing.T) {
	forTheGate(t)
	for name, document := range documents("double-write") {
		b := openTab(t, write(t, document))
		b.size(paperLength, 1)
		b.media("print", "light")
		for _, language := range []string{"en", "fr"} {
			b.choose("language", language)
			if got := eval[int64](b, `Math.max(0, ...[...document.querySelectorAll("#tables table")].map((x) => Math.ceil(x.getBoundingClientRect().right)))`); got > paperLength {
				t.Errorf("%s, %s: a table reaches to %d px", name, language, got)
			}
			for _, torn := range eval[[]string](b, torn("#tables")) {
				t.Errorf("%s, %s: %s is torn on paper", name, language, torn)
			}
		}
	}
}

// Paper within its margins, in CSS pixels: A4 upright is the narrower, Letter on its side the shorter.
const paperWidth, paperLength = 680, 970

// torn names the words that stand on several lines, letters of theirs on each. Plans, commands and names may break,
// where there is something to break at.
func torn(selector string) string {
	return `[...document.querySelectorAll("` + selector + ` :is(th, td):not(.code)")].flatMap((cell) => {
		const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), out = [];
		while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/[\p{L}\d]+/gu)) {
			const range = document.createRange();
			range.setStart(walk.currentNode, word.index);
			range.setEnd(walk.currentNode, word.index + word[0].length);
			if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) out.push(word[0]);
		}
		return out;
	}).slice(0, 5)`
}

// widest names what reaches over the edge.
const widest = `[...document.querySelectorAll("main *")].filter((e) => !e.closest(".scroll") && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + "." + e.className + "#" + e.id).slice(0, 5).join(", ")`

// axe judges the page in both schemes and both languages, with a case open, and wide and narrow.
func TestBrowser_Accessible(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, theExplorer(t)))
	axe(t, b)
	b.run(`document.querySelector("#glossary summary").click()`)
	b.choose("stop", "during-call")
	b.run(`document.querySelectorAll('.map')[1].querySelector('button.double').click()`)
	for _, width := range []int64{1280, 320} {
		b.size(width, 1)
		for _, on := range []struct{ kind, scheme string }{{"screen", "light"}, {"screen", "dark"}, {"print", "dark"}} {
			b.media(on.kind, on.scheme)
			for _, language := range []string{"en", "fr"} {
				b.choose("language", language)
				for _, wrong := range inaccessible(b) {
					t.Errorf("%d px, %s, %s: %s", width, on, language, wrong)
				}
			}
		}
	}
	for name, document := range documents("text") {
		b := openTab(t, write(t, document))
		axe(t, b)
		for _, wrong := range inaccessible(b) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

func axe(t *testing.T, b *tab) {
	t.Helper()
	source, err := os.ReadFile("testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	b.run(string(source))
}

// inaccessible returns what axe finds by the rules of WCAG 2.2 A and AA and its own best practice.
func inaccessible(b *tab) []string {
	b.t.Helper()
	// Colours that fade into each other would be judged half-way.
	b.run(`for (const a of document.getAnimations()) a.finish()`)
	return eval[[]string](b, `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], resultTypes: ["violations"] })
		.then((r) => r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.any.map((a) => a.message).join()).join(" | ")))`)
}

// What a report says stays text, whatever it tries.
func TestBrowser_HostileTextIsInert(t *testing.T) {
	forTheGate(t)
	for name, document := range documents(hostile) {
		b := openTab(t, write(t, document))
		for _, language := range []string{"en", "fr"} {
			b.choose("language", language)
			if n := eval[int](b, `document.querySelectorAll("img, script:not(:nth-last-of-type(-n+2)), iframe, object, embed").length`); n != 0 {
				t.Errorf("%s: %d elements came from a text", name, n)
			}
			if got := eval[string](b, `document.querySelector("#report").textContent`); !strings.Contains(got, "</script><script>alert(1)</script><img src=x onerror=alert(1)>") {
				t.Errorf("%s: the text is not shown as it is: %.200q", name, got)
			}
		}
		b.run(`document.querySelectorAll(".map button, table.rows button").forEach((x) => x.click())`)
	}
}

// Ten thousand rows open as few, grow on demand, and are found by a filter.
func TestBrowser_ManyRows(t *testing.T) {
	forTheGate(t)
	b := openTab(t, write(t, manyCells()))
	rows := `document.querySelectorAll("table.rows tbody tr").length`
	if n := eval[int](b, rows); n > 100 {
		t.Errorf("%d rows are drawn at once", n)
	}
	t.Logf("loaded in %.0f ms", eval[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`))
	before := eval[int](b, rows)
	if n := eval[int](b, `[...document.querySelectorAll(".note")].filter((n) => n.checkVisibility()).length`); n != 0 {
		t.Errorf("%d of many notes stand in the way", n)
	}
	b.run(`document.querySelector("summary").click()`)
	if n := eval[int](b, `[...document.querySelectorAll(".note")].filter((n) => n.checkVisibility()).length`); n != 77 {
		t.Errorf("%d notes, 77 wanted", n)
	}
	b.run(`document.querySelector(".more").click()`)
	if n := eval[int](b, rows); n <= before {
		t.Errorf("%d rows after asking for more, %d before", n, before)
	}
	b.run(`{ const s = document.querySelector('input[type="search"]'); s.value = "t-00042"; s.dispatchEvent(new Event("input")); }`)
	if got := b.text(".filter [role=status]"); !strings.HasSuffix(got, " of 150 rows") {
		t.Errorf("the filter says %q", got)
	}
	b.run(`document.querySelector('input[type="checkbox"]').click()`)
	if got := b.text(".filter [role=status]"); !strings.HasSuffix(got, " of 75 rows") {
		t.Errorf("what goes wrong: %q", got)
	}
	b.run(`document.querySelector(".more").focus(); document.querySelector(".more").click()`)
	if got := eval[string](b, `document.activeElement.className`); got != "scroll" {
		t.Errorf("all is shown, the button is gone, and the focus is on %q", got)
	}
	b.choose("language", "fr")
	if got := b.text(".filter [role=status]"); got != "75 lignes sur 75" || eval[string](b, `document.querySelector('input[type="search"]').value`) != "t-00042" {
		t.Errorf("in French, %q", got)
	}
}

// TestBrowser_ChecksSee plants what each check is to find.
func TestBrowser_ChecksSee(t *testing.T) {
	forTheGate(t)
	html := write(t, theExplorer(t))
	b := loose(t, strings.Replace(html, "<noscript>", `<img src="http://127.0.0.1:9/x.png" style="width: 2000px; height: 1px"><p style="color: #eee">pale</p><noscript>`, 1))
	said := strings.Join(b.misbehaved(), "\n")
	for _, want := range []string{"Content Security Policy", "127.0.0.1:9"} {
		if !strings.Contains(said, want) {
			t.Errorf("an outside picture and an inline style go unseen (%s): %s", want, said)
		}
	}
	axe(t, b)
	b.run(`const p = document.querySelector("main > p"); p.style.color = "#eee"; p.textContent = "pale"`)
	b.run(`document.querySelector("select").parentElement.replaceWith(document.querySelector("select"))`)
	found := strings.Join(inaccessible(b), "\n")
	for _, want := range []string{"image-alt", "color-contrast", "select-name"} {
		if !strings.Contains(found, want) {
			t.Errorf("axe does not see %s: %s", want, found)
		}
	}
	b.size(320, 1)
	b.run(`document.querySelector("main > p").style.width = "2000px"; document.querySelector("main > p").style.maxWidth = "none"`)
	if eval[int64](b, `document.documentElement.scrollWidth`) <= 320 {
		t.Error("a text of 2000 px goes unseen")
	}
	wrong := theExplorer(t)
	wrong.Lesson.Cases = append([]page.Case(nil), wrong.Lesson.Cases...)
	wrong.Lesson.Cases[0].Cell.Effects++
	c := openTab(t, write(t, wrong))
	c.choose("stop", "before-write")
	c.choose("resume", "id")
	if got := c.text("#case-refunds"); got != "2" {
		t.Errorf("a wrong count is shown as %q", got)
	}
	if got := c.text("#conclusion-count"); got != "3 of the 6 cases pay twice." {
		t.Errorf("and concluded as %q", got)
	}
	if got := c.text("#conclusion-why"); got != "" {
		t.Errorf("and explained as %q", got)
	}
}
