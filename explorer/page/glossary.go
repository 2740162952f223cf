package page

import (
	"slices"

	"github.com/paytwice/paytwice/explorer/story"
)

// Glossary says of strategies and provider profiles what they do, in the order in which to show them.
type Glossary struct{ Strategies, Providers []Term }

// Term is a name and what it stands for, in a sentence or less.
type Term struct {
	Name string
	What story.Text
}

// terms is one list of the glossary: names, and beside each what it stands for.
type terms struct {
	Title int   `json:"title"`
	Names []int `json:"names"`
	What  []int `json:"what"`
}

// glossary explains the names on the axes of the maps. The lesson's points have words of the page's own.
func (d *data) glossary(g Glossary, x axes) {
	var points []Term
	for _, p := range x.points {
		if what, ok := texts["point."+p]; ok {
			points = append(points, Term{p, what})
		}
	}
	d.explain("glossary.strategies", g.Strategies, x.strategies)
	d.explain("glossary.points", points, x.points)
	d.explain("glossary.providers", g.Providers, x.providers)
}

// explain adds a list of those terms whose names are on the page.
func (d *data) explain(title string, list []Term, on []string) {
	out := terms{Title: d.ui(title)}
	for _, t := range list {
		if slices.Contains(on, t.Name) {
			out.Names, out.What = append(out.Names, d.name(t.Name)), append(out.What, d.text(t.What))
		}
	}
	if len(out.Names) > 0 {
		d.Report.Glossary = append(d.Report.Glossary, out)
	}
}

// rules explains the invariants that a document of a family names, some of which mean something of their own there;
// those that a program's own judge gives have no text.
func (d *data) rules(family string, names []string) {
	var list []Term
	for _, n := range slices.Sorted(slices.Values(names)) {
		what, ok := texts["invariant."+family+"."+n]
		if !ok {
			what, ok = texts["invariant."+n]
		}
		if ok {
			list = append(list, Term{n, what})
		}
	}
	d.explain("glossary.invariants", slices.CompactFunc(list, func(a, b Term) bool { return a.Name == b.Name }), names)
}

// numbers explains what the figures of a family of documents count, by the keys of their labels.
func (d *data) numbers(family string, keys ...string) {
	out := terms{Title: d.ui("glossary.numbers")}
	for _, k := range keys {
		out.Names, out.What = append(out.Names, d.ui(k)), append(out.What, d.ui("meaning."+family+"."+k))
	}
	d.Report.Glossary = append(d.Report.Glossary, out)
}

// meaning is a mark and what it stands for.
type meaning struct {
	Mark mark `json:"m"`
	Text int  `json:"t"`
}

// legend explains marks, the best first; well is the key of what the best of them says.
func (d *data) legend(well string, others ...mark) {
	d.Report.Legend = []meaning{{safe, d.ui(well)}}
	for _, m := range others {
		d.Report.Legend = append(d.Report.Legend, meaning{m, d.ui("mark." + string(m))})
	}
}
