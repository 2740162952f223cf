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
	for _, list := range []struct {
		title string
		terms []Term
		on    []string
	}{{"glossary.strategies", g.Strategies, x.strategies}, {"glossary.points", points, x.points}, {"glossary.providers", g.Providers, x.providers}} {
		out := terms{Title: d.ui(list.title)}
		for _, t := range list.terms {
			if slices.Contains(list.on, t.Name) {
				out.Names, out.What = append(out.Names, d.name(t.Name)), append(out.What, d.text(t.What))
			}
		}
		if len(out.Names) > 0 {
			d.Report.Glossary = append(d.Report.Glossary, out)
		}
	}
}
