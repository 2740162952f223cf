package reports_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

// numbers are what one cell counts, as far as a format shows it.
type numbers struct {
	Effects, Calls, Lookups, Lives, ModelCalls int
	Amount                                     string
}

// table is a matrix as one format tells it: its cells by point and strategy, and its summary.
type table struct {
	Cells   map[string]numbers
	Summary []int
}

// TestFormats_Agree reads one matrix back out of every format and compares the numbers: JSON is the document,
// text shows effects, amounts and calls, the others everything.
func TestFormats_Agree(t *testing.T) {
	m := filled(axes{actions: []string{refund}, points: lessonPoints, strategies: all[:2], providers: profiles[:1]})
	for i := range m.Cells {
		c := &m.Cells[i]
		c.Effects, c.Calls, c.Lookups, c.Incarnations, c.ModelCalls, c.AmountCents = 1+i%2, 11+i, 21+i, 31+i, 41+i, int64(1995+i)
		c.Verdict, c.Violations = history.Pass, nil
	}
	m.Cells[1].Verdict, m.Cells[2].HandedToPerson = history.Undecided, true
	m.Sum()
	want := fromJSON(t, written(t, reports.WriteJSON, any(m)))
	if len(want.Cells) != 6 || want.Cells["during-call operation-id"] != (numbers{2, 12, 22, 32, 42, "19.96"}) {
		t.Fatalf("the document: %+v", want)
	}
	for name, got := range map[string]table{
		"markdown": fromMarkdown(t, written(t, reports.MatrixMarkdown, m)), "junit": fromJUnit(t, written(t, reports.MatrixJUnit, m)),
		"svg": fromSVG(t, written(t, reports.MatrixSVG, m)), "html": fromPage(t, written(t, asPage[history.Matrix], m)),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-json +%s):\n%s", name, name, diff)
		}
	}
	for key, n := range want.Cells {
		want.Cells[key] = numbers{Effects: n.Effects, Calls: n.Calls, Amount: n.Amount}
	}
	if diff := cmp.Diff(want, fromText(t, written(t, matrixText, m))); diff != "" {
		t.Errorf("text (-json +text):\n%s", diff)
	}
}

func fromJSON(t *testing.T, text string) table {
	var m history.Matrix
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	out := table{Cells: map[string]numbers{}}
	for _, c := range m.Cells {
		out.Cells[c.Point+" "+c.Strategy] = numbers{c.Effects, c.Calls, c.Lookups, c.Incarnations, c.ModelCalls, fmt.Sprintf("%d.%02d", c.AmountCents/100, c.AmountCents%100)}
	}
	s := m.Summary
	out.Summary = []int{s.Landed, s.Cells, s.DoubleWrites, s.LostWrites, s.HandedToPerson, s.Undecided}
	return out
}

// ints returns the numbers of a text.
func ints(text string) []int {
	var out []int
	for _, n := range regexp.MustCompile(`[0-9]+`).FindAllString(text, -1) {
		out = append(out, number(n))
	}
	return out
}

func fromText(t *testing.T, text string) table {
	out := table{Cells: map[string]numbers{}}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) >= 7 && strings.Contains(strings.Join(lessonPoints, " "), f[0]) {
			out.Cells[f[0]+" "+all[0]] = numbers{Effects: number(f[1]), Amount: f[2], Calls: number(f[3])}
			out.Cells[f[0]+" "+all[1]] = numbers{Effects: number(f[4]), Amount: f[5], Calls: number(f[6])}
		}
		if strings.Contains(line, "kills landed") {
			out.Summary = ints(line)
		}
	}
	return out
}

func fromMarkdown(t *testing.T, text string) table {
	out := table{Cells: map[string]numbers{}}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Split(line, " | ")
		if strings.HasPrefix(line, "| T-") {
			out.Cells[f[3]+" "+f[4]] = numbers{number(f[6]), number(f[8]), number(f[9]), number(f[10]), number(f[11]), f[7]}
		}
		if strings.Contains(line, " landed, ") {
			out.Summary = ints(line)
		}
	}
	return out
}

// counted reads the words of a cell that JUnit and SVG share.
var counted = regexp.MustCompile(`(\d+) effects?, ([0-9.]+) CAD, (\d+) calls?, (\d+) look-ups?, (\d+) (?:life|lives), (\d+) model calls?`)

func countedNumbers(t *testing.T, text string) numbers {
	f := counted.FindStringSubmatch(text)
	if f == nil {
		t.Fatalf("no numbers in %s", text)
	}
	return numbers{number(f[1]), number(f[3]), number(f[4]), number(f[5]), number(f[6]), f[2]}
}

func fromJUnit(t *testing.T, text string) table {
	out := table{Cells: map[string]numbers{}}
	for _, s := range readJUnit(t, text).Suites {
		for _, c := range s.Cases {
			out.Cells[c.Name[strings.LastIndex(c.Name, "/")+1:]+" "+strings.TrimPrefix(s.Name, "refund/")] = countedNumbers(t, c.Out)
		}
	}
	out.Summary = ints(regexp.MustCompile(`name="summary" value="([^"]*)"`).FindStringSubmatch(text)[1])
	return out
}

func fromSVG(t *testing.T, text string) table {
	out := table{Cells: map[string]numbers{}}
	for _, g := range regexp.MustCompile(`(?s)<g>(.*?)</g>`).FindAllStringSubmatch(text, -1) {
		about := regexp.MustCompile(`<title>T-90100 #1 (\S+), (\S+): `).FindStringSubmatch(g[1])
		n := countedNumbers(t, g[1])
		// What is drawn is what is told.
		if want := fmt.Sprintf(`">%d</text>`, n.Effects); !strings.Contains(g[1], want) {
			t.Errorf("the cell does not show %d: %s", n.Effects, g[1])
		}
		if want := fmt.Sprintf(`">%s · %d calls</text>`, n.Amount, n.Calls); !strings.Contains(g[1], want) {
			t.Errorf("the cell does not show %s: %s", want, g[1])
		}
		out.Cells[about[1]+" "+about[2]] = n
	}
	out.Summary = ints(regexp.MustCompile(`>(\d+ of \d+ landed,[^<]*)</text>`).FindStringSubmatch(text)[1])
	return out
}

// fromPage reads the data that the page's script draws: figures stand in the rows, texts in a pool.
func fromPage(t *testing.T, text string) table {
	t.Helper()
	found := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(text)
	if found == nil {
		t.Fatal("the page has no data")
	}
	var data struct {
		Pool   []any
		Report struct {
			Facts  []struct{ Value int }
			Tables []struct {
				Columns []struct{ Label int }
				Rows    [][]int
			}
		}
	}
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil {
		t.Fatal(err)
	}
	english := func(i int) string {
		if pair, ok := data.Pool[i].([]any); ok {
			return pair[0].(string)
		}
		return data.Pool[i].(string)
	}
	out := table{Cells: map[string]numbers{}}
	for _, r := range data.Report.Tables[0].Rows {
		amount, _, _ := strings.Cut(english(r[4]), " ")
		out.Cells[english(r[1])+" "+english(r[0])] = numbers{r[3], r[5], r[6], r[7], r[8], amount}
	}
	var facts []int
	for _, f := range data.Report.Facts {
		n, _ := strconv.Atoi(english(f.Value))
		facts = append(facts, n)
	}
	out.Summary = append([]int{facts[1], facts[0]}, facts[2:6]...)
	return out
}
