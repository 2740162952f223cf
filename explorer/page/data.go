package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/story"
)

// data is what the page's script reads. Texts are kept once, in Pool, and named by their index: a report of
// ten thousand cells repeats few of them.
type data struct {
	Texts    map[string]story.Text `json:"texts"`
	Pool     []story.Text          `json:"pool"`
	Lesson   *lesson               `json:"lesson,omitempty"`
	Report   report                `json:"report"`
	Rows     []row                 `json:"rows"`
	Tellings []telling             `json:"tellings"`

	texts    map[story.Text]int
	rows     map[row]int
	tellings map[string]int
}

// report is what a document becomes: facts, notes, maps and tables, or one story.
type report struct {
	Title int    `json:"title"`
	Lead  int    `json:"lead"`
	Facts []fact `json:"facts"`
	// Notes are sentences of one part or more; what is in one language only is a part by itself.
	Notes  [][]int `json:"notes"`
	Maps   []heat  `json:"maps"`
	Tables []table `json:"tables"`
	// Legend explains the marks, Glossary the names and what numbers count.
	Legend   []meaning `json:"legend"`
	Glossary []terms   `json:"glossary"`
	// Telling is the one story of a history, -1 if the document is no history; Mark is how it ended.
	Telling int  `json:"telling"`
	Mark    mark `json:"mark"`
}

// fact is one figure with its label; Mark says how good it is, empty for neither.
type fact struct {
	Label int  `json:"label"`
	Value int  `json:"value"`
	Mark  mark `json:"mark,omitempty"`
}

// table is rows of figures and texts.
type table struct {
	Title   int      `json:"title"`
	Columns []column `json:"columns"`
	Rows    [][]int  `json:"rows"`
	// Marks and Results say of each row how it ended, as a mark and in words.
	Marks   []mark `json:"marks"`
	Results []int  `json:"results"`
	// Tellings is the telling of each row, -1 for none; nil if no row has one.
	Tellings []int `json:"tellings,omitempty"`
}

// add adds a row with how it ended.
func (t *table) add(m mark, result int, row ...int) {
	t.Marks, t.Results, t.Rows = append(t.Marks, m), append(t.Results, result), append(t.Rows, row)
}

// tables shows tables without the columns in which no row says anything.
func (d *data) tables(tables ...table) {
	empty := d.name("")
	for _, t := range tables {
		said := func(column int) bool {
			return t.Columns[column].Kind == figure || slices.ContainsFunc(t.Rows, func(row []int) bool { return row[column] != empty })
		}
		out := table{Title: t.Title, Marks: t.Marks, Results: t.Results, Rows: make([][]int, len(t.Rows))}
		for c := range t.Columns {
			if !said(c) {
				continue
			}
			out.Columns = append(out.Columns, t.Columns[c])
			for i, row := range t.Rows {
				out.Rows[i] = append(out.Rows[i], row[c])
			}
		}
		if len(t.Rows) > 0 {
			d.Report.Tables = append(d.Report.Tables, out)
		}
	}
}

// column says how its values are read: figures as they are, everything else from the pool, counts that may be too
// large for a figure among it.
type column struct {
	Label int    `json:"label"`
	Kind  string `json:"kind"`
}

// The kinds of columns.
const (
	figure = "figure"
	count  = "count"
	words  = "words"
	prose  = "prose"
	code   = "code"
)

// mark says in one word how a case ended; it has a colour, a shape and a text.
type mark string

// The marks, from the best to the worst, as rank has them. Open is undecided; broken is a violation that made no change twice
// and lost none.
const (
	safe    mark = "safe"
	person  mark = "person"
	open    mark = "open"
	missed  mark = "missed"
	broken  mark = "broken"
	lost    mark = "lost"
	doubled mark = "double"
)

func newData() *data {
	return &data{Texts: texts, Pool: []story.Text{}, Rows: []row{}, Tellings: []telling{},
		Report: report{Facts: []fact{}, Notes: [][]int{}, Maps: []heat{}, Tables: []table{}, Legend: []meaning{}, Glossary: []terms{}, Telling: -1},
		texts:  map[story.Text]int{}, rows: map[row]int{}, tellings: map[string]int{}}
}

// text returns the pool's index of a text, made inert.
func (d *data) text(t story.Text) int {
	t = story.Text{EN: story.Inert(t.EN), FR: story.Inert(t.FR)}
	i, ok := d.texts[t]
	if !ok {
		i = len(d.Pool)
		d.texts[t] = i
		d.Pool = append(d.Pool, t)
	}
	return i
}

func (d *data) name(s string) int { return d.text(story.Same(s)) }

// ui returns one of the page's own texts, filled.
func (d *data) ui(key string, args ...any) int {
	t, ok := texts[key]
	if !ok {
		panic("page: no text " + key) // a programmer's slip; a test draws every document
	}
	return d.text(t.Format(args...))
}

// both returns two of the page's own texts, one after the other; one that there is not is left out.
func (d *data) both(first, second string) int {
	a, b := texts[first], texts[second]
	return d.text(story.Text{EN: strings.TrimSpace(a.EN + " " + b.EN), FR: strings.TrimSpace(a.FR + " " + b.FR)})
}

// joined returns several texts as one, commas between them.
func (d *data) joined(list []story.Text) int {
	var en, fr []string
	for _, t := range list {
		en, fr = append(en, t.EN), append(fr, t.FR)
	}
	return d.text(story.Text{EN: strings.Join(en, ", "), FR: strings.Join(fr, ", ")})
}

// note adds a sentence to the report.
func (d *data) note(parts ...int) { d.Report.Notes = append(d.Report.Notes, parts) }

// leftOut notes what a document is without: what an interruption kept from being run, or other parts of the
// run.
func (d *data) leftOut(left, shard string) {
	if left != "" {
		d.note(d.ui("note.undecided"), d.name(left))
	}
	if shard != "" {
		d.note(d.ui("note.shard", shard))
	}
}

// word returns a value that is a word of the page's own where it is one it knows: a mode, a verdict.
func (d *data) word(family, value string) int {
	if _, ok := texts[family+"."+value]; ok {
		return d.ui(family + "." + value)
	}
	return d.name(value)
}

// fact adds a figure to the report.
func (d *data) fact(key string, value any, m mark) {
	d.Report.Facts = append(d.Report.Facts, fact{d.ui(key), d.name(fmt.Sprint(value)), m})
}

// ifAny is the mark of a count that should be zero.
func ifAny(n int, m mark) mark {
	if n > 0 {
		return m
	}
	return ""
}

func (d *data) column(key, kind string) column { return column{d.ui(key), kind} }
