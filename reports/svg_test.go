package reports_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// TestMatrixSVG_Kinds: each way that a cell can end has a shape and a word of its own, and what is not known is
// not drawn as good.
func TestMatrixSVG_Kinds(t *testing.T) {
	m := everyFate()
	m.Cells[5].Effects, m.Cells[5].Verdict, m.Cells[5].Violations = 2, history.Violated, []string{"double-write"}
	m.Cells[6].HandedToPerson = true
	m.Sum()
	text := written(t, reports.MatrixSVG, m)
	for kind, n := range map[string]int{"safe": 1, "lost": 1, "double": 1, "person": 1, "open": 3} {
		if got := strings.Count(text, ` class="`+kind+`"/>`+"\n<path"); got != n {
			t.Errorf("%d cells are %s, want %d", got, kind, n)
		}
	}
	for _, word := range []string{">safe<", ">lost<", ">twice<", ">a person decides<", ">undecided<", "no strategy passes lease.acquire/after#1"} {
		if !strings.Contains(text, word) {
			t.Errorf("no %s", word)
		}
	}
	m.Cells[0].Verdict, m.Cells[0].Violations = history.Violated, []string{"over-capture"}
	if text := written(t, reports.MatrixSVG, m); strings.Contains(text, ">safe<") || !strings.Contains(text, ">another violation<") {
		t.Error("a violation that doubles and loses nothing is drawn as safe")
	}
	shapes := map[string]bool{}
	for _, s := range regexp.MustCompile(`<path d="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		shapes[s[1]] = true
	}
	if len(shapes) != 5 {
		t.Errorf("%d shapes of 5 kinds", len(shapes))
	}
}

// TestMatrixSVG_Map: a map is drawn by its classes; a cell with an undecided stop is not safe.
func TestMatrixSVG_Map(t *testing.T) {
	m := filled(axes{actions: []string{refund}, points: lessonPoints, strategies: all[:2], providers: profiles[:2]})
	for i := range m.Cells {
		m.Cells[i].Effects, m.Cells[i].Verdict, m.Cells[i].Violations = 1, history.Pass, nil
	}
	m.Cells[0].Verdict = history.Undecided
	m.Cells[3].Verdict, m.Cells[3].Violations = history.Violated, []string{"over-capture"}
	m.Sum()
	text := written(t, reports.MatrixSVG, m)
	legend := strings.Count(text, ">twice<")
	twice := m
	twice.Cells = slices.Clone(m.Cells)
	twice.Cells[1].Effects, twice.Cells[1].Verdict, twice.Cells[1].Violations = 2, history.Violated, []string{"double-write"}
	twice.Sum()
	if text := written(t, reports.MatrixSVG, twice); strings.Count(text, ">twice<") != legend+2 || strings.Contains(text, ">double<") {
		t.Error("a cell has another word than the legend")
	}
	for kind, n := range map[string]int{"safe": 2, "open": 1, "other": 1} {
		if got := strings.Count(text, ` class="`+kind+`"/>`+"\n<path"); got != n {
			t.Errorf("%d cells are %s, want %d", got, kind, n)
		}
	}
}

// TestMatrixSVG_Bounds: a picture stays small enough for a page, says what it leaves out, and keeps bad rows.
func TestMatrixSVG_Bounds(t *testing.T) {
	m := filled(axes{actions: many(90, "reship_item LK-640%d RUG-W x 1"), points: lessonPoints, strategies: many(27, "strategy-%d"), providers: profiles[:1]})
	for i := range m.Cells {
		m.Cells[i].Effects, m.Cells[i].Verdict, m.Cells[i].Violations = 1, history.Pass, nil
	}
	for i := range m.Cells {
		if m.Cells[i].Strategy == "strategy-3" && m.Cells[i].Ticket == "T-90107" && m.Cells[i].What == "reship_item LK-6408 RUG-W x 1" {
			m.Cells[i].Effects, m.Cells[i].Verdict, m.Cells[i].Violations = 2, history.Violated, []string{"double-write"}
		}
	}
	last := &m.Cells[len(m.Cells)-27*3+2]
	last.Effects, last.Verdict, last.Violations = 2, history.Violated, []string{"double-write"}
	m.Sum()
	text := written(t, reports.MatrixSVG, m)
	for _, want := range []string{">70 rows left out: --format json has them<", ">3 columns left out: --format json has them<", last.Ticket + " #1 " + last.Point} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if n := strings.Count(text, "<g>"); n != 200*24 {
		t.Errorf("%d cells are drawn", n)
	}
	if text != written(t, reports.MatrixSVG, m) {
		t.Error("drawn twice, it differs")
	}
}

// TestMatrixSVG_Readable: every text is readable on its ground, light and dark (WCAG 2.2 AA, 4.5 to 1), and
// there is a title and a description for those who don't see it.
func TestMatrixSVG_Readable(t *testing.T) {
	text := written(t, reports.MatrixSVG, everyFate())
	light, dark, ok := strings.Cut(text, "prefers-color-scheme:dark")
	if !ok {
		t.Fatal("no dark page")
	}
	for theme, style := range map[string]string{"light": light, "dark": dark} {
		rules := regexp.MustCompile(`rect\.(\w+)\{fill:#(\w{6})\}text\.\w+,path\.\w+\{fill:#(\w{6})\}`).FindAllStringSubmatch(style, -1)
		if len(rules) != 7 {
			t.Fatalf("%s: %d kinds of 7", theme, len(rules))
		}
		for _, r := range rules {
			if c := contrast(r[2], r[3]); c < 4.5 {
				t.Errorf("%s, %s: contrast %.1f", theme, r[1], c)
			}
		}
		// The legend's words stand on the page itself.
		for _, r := range rules {
			if c := contrast(rules[0][2], r[3]); c < 4.5 {
				t.Errorf("%s, %s on the page: contrast %.1f", theme, r[1], c)
			}
		}
	}
	if !strings.Contains(text, `role="img" aria-labelledby="t d">`) || !strings.Contains(text, `<title id="t">T-90100 #1 request_refund`) || !strings.Contains(text, `<desc id="d">6 of 7 landed, `) {
		t.Errorf("not told: %.400s", text)
	}
}

// contrast of two colours.
//
// Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func luminance(colour string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, _ := strconv.ParseUint(colour[2*i:2*i+2], 16, 8)
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

// TestMatrixSVG_Inside: nothing is drawn outside the picture.
func TestMatrixSVG_Inside(t *testing.T) {
	for name, a := range layouts {
		text := written(t, reports.MatrixSVG, filled(a))
		var width, height int
		if _, err := fmt.Sscanf(text, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d"`, &width, &height); err != nil {
			t.Fatal(err)
		}
		for _, r := range regexp.MustCompile(`<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"`).FindAllStringSubmatch(text, -1) {
			if number(r[1])+number(r[3]) > width || number(r[2])+number(r[4]) > height {
				t.Errorf("%s: %s in %d × %d", name, r[0], width, height)
			}
		}
		for _, r := range regexp.MustCompile(`<text x="(\d+)" y="(\d+)" class="([a-z ]+)">([^<]*)<`).FindAllStringSubmatch(text, -1) {
			sign := 8.0
			if strings.Contains(r[3], "small") {
				sign = 7
			}
			if float64(number(r[1]))+sign*float64(len([]rune(r[4]))) > float64(width) || number(r[2]) > height {
				t.Errorf("%s: %s in %d × %d", name, r[0], width, height)
			}
		}
	}
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
