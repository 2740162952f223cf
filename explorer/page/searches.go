package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
)

// Searched is searches with what the names in them stand for.
type Searched struct {
	Explorations history.Explorations
	Glossary     Glossary
}

// explorations shows searches: one line each, and the smallest plan of each class of violation.
func (d *data) explorations(s Searched) {
	e := s.Explorations
	d.Report.Title, d.Report.Lead = d.ui("searches.title"), d.ui("searches.lead")
	runs := table{Title: d.ui("searches"), Rows: [][]int{}, Columns: []column{d.column("scenario", words), d.column("ticket", words), d.column("strategy", words),
		d.column("provider", words), d.column("mode", words), d.column("crashes", figure), d.column("seed", count), d.column("recording", words), d.column("faults.kinds", prose), d.column("points", figure), d.column("plans_covered", count), d.column("plans_distinct", count),
		d.column("incarnations", figure), d.column("states", figure), d.column("handed_to_person", count), d.column("model_calls", figure), d.column("model_calls_most", figure), d.column("left_out", prose)}}
	found := table{Title: d.ui("violations"), Rows: [][]int{}, Columns: []column{d.column("scenario", words), d.column("strategy", words), d.column("provider", words),
		d.column("faults", figure), d.column("effects", figure), d.column("detail.text", prose), d.column("plan", code), d.column("replay", code)}}
	undecided := 0
	for _, r := range e.Runs {
		m, result, left := verdictMark(r.Verdict()), d.ui("no.violation"), r.LeftOut
		if names := invariants(r); len(names) > 0 {
			result = d.name(strings.Join(names, ", "))
		} else if m == open {
			result = d.ui("verdict.undecided")
		}
		for _, v := range r.Violations {
			m = worse(m, invariantMark(v.Invariant))
		}
		if len(r.Unreached) > 0 {
			left = strings.TrimPrefix(left+"; not reached: "+strings.Join(r.Unreached, ", "), "; ")
			m, result = missed, d.ui("mark.missed")
		}
		if m == open || m == missed {
			undecided++
		}
		runs.add(m, result, d.name(r.Scenario), d.name(r.Ticket), d.name(r.Strategy), d.name(r.Provider), d.name(r.Mode), r.Crashes, d.name(fmt.Sprint(r.Seed)), d.name(r.Recording), d.name(strings.Join(r.Faults, ", ")), r.Points,
			d.name(fmt.Sprint(r.PlansCovered)), d.name(fmt.Sprint(r.PlansDistinct)), r.Incarnations, r.States, d.name(fmt.Sprint(r.HandedToPerson)), r.ModelCalls, r.ModelCallsMost, d.name(left))
		for _, v := range r.Violations {
			found.add(invariantMark(v.Invariant), d.name(v.Invariant), d.name(r.Scenario), d.name(r.Strategy), d.name(r.Provider), v.Faults, v.Effects, d.name(v.Detail), d.name(v.Plan), d.name(v.Replay))
		}
	}
	d.fact("searches", len(e.Runs), "")
	d.fact("violations", len(found.Rows), ifAny(len(found.Rows), broken))
	d.fact("undecided", undecided, ifAny(undecided, open))
	d.leftOut("", e.Shard)
	for _, l := range e.LeftOut {
		d.note(d.ui("note.left_out"), d.name(l))
	}
	if len(e.Runs) > 0 {
		d.legend("no.violation", open, missed, broken, lost, doubled)
		d.searchTerms(s)
	}
	d.tables(found, d.ratchet(e.Ratchet), runs)
}

// searchTerms explains what the names and numbers of searches stand for.
func (d *data) searchTerms(s Searched) {
	var rules, strategies, providers []string
	for _, r := range s.Explorations.Runs {
		rules = append(rules, invariants(r)...)
		strategies, providers = append(strategies, r.Strategy), append(providers, r.Provider)
	}
	d.rules("search", rules)
	d.explain("glossary.strategies", s.Glossary.Strategies, strategies)
	d.explain("glossary.providers", s.Glossary.Providers, providers)
	d.numbers("search", "points", "plans_covered", "plans_distinct", "incarnations", "states")
}

// ratchet shows what became of the violations that a baseline knows.
func (d *data) ratchet(r *history.Ratchet) table {
	t := table{Title: d.ui("baseline"), Columns: []column{d.column("violation.class", prose)}}
	if r == nil {
		return t
	}
	for _, part := range []struct {
		key     string
		mark    mark
		classes []history.ViolationClass
	}{{"baseline.new", broken, r.New}, {"baseline.known", broken, r.Known}, {"baseline.gone", safe, r.Gone}, {"baseline.open", open, r.Open}} {
		for _, c := range part.classes {
			t.add(part.mark, d.ui(part.key), d.name(c.String()))
		}
	}
	return t
}

// invariants names the broken ones of a search, each once.
func invariants(e history.Exploration) []string {
	var out []string
	for _, v := range e.Violations {
		if !slices.Contains(out, v.Invariant) {
			out = append(out, v.Invariant)
		}
	}
	return out
}

func invariantMark(name string) mark {
	switch name {
	case "double-write":
		return doubled
	case "lost-write":
		return lost
	default:
		return broken
	}
}

// audit shows which planted bugs were caught.
func (d *data) audit(a history.Audit) {
	d.Report.Title, d.Report.Lead = d.ui("audit.title"), d.ui("audit.lead")
	d.leftOut(a.LeftOut, "")
	d.fact("total", a.Total, "")
	d.fact("caught", a.Caught, ifAny(len(a.Planted)-a.Caught, broken))
	t := table{Title: d.ui("planted"), Rows: [][]int{}, Columns: []column{d.column("name", words), d.column("doc", prose), d.column("invariant", words),
		d.column("faults", figure), d.column("mode", words), d.column("ticket", words), d.column("strategy", words), d.column("provider", words), d.column("others", prose), d.column("detail.text", prose), d.column("plan", code), d.column("replay", code)}}
	for _, p := range a.Planted {
		result, m := d.ui("unseen"), broken
		if p.Caught {
			result, m = d.ui("seen"), safe
		}
		t.add(m, result, d.name(p.Name), d.name(p.Doc), d.name(p.Invariant), p.Faults, d.name(p.Mode), d.name(p.Ticket), d.name(p.Strategy), d.name(p.Provider),
			d.name(strings.Join(p.Others, ", ")), d.name(p.Detail), d.name(p.Plan), d.name(p.Replay))
	}
	d.tables(t)
}

// exec shows what crashing a program at its durable calls found.
func (d *data) exec(e history.Exec) {
	d.Report.Title, d.Report.Lead = d.ui("exec.title"), d.ui("exec.lead")
	d.fact("durable", e.Calls, "")
	d.fact("cases", e.Cases, "")
	landed := ifAny(e.Cases-e.Landed, missed)
	if e.Cases == 0 {
		landed = missed
	}
	d.fact("landed", e.Landed, landed)
	d.fact("states", e.States, "")
	d.fact("exec.listed", len(e.Violations), ifAny(len(e.Violations), broken))
	switch {
	case e.Complete:
	case e.LeftOut == "":
		d.note(d.ui("note.not_whole"))
	default:
		d.leftOut(e.LeftOut, "")
	}
	if e.Model != "" {
		d.note(d.name(e.Model))
	}
	for _, path := range e.Outside {
		d.note(d.ui("note.outside", path))
	}
	for _, path := range e.Mapped {
		d.note(d.ui("note.mapped", path))
	}
	if e.Reordered > 0 {
		d.note(d.ui("note.reordered", e.Reordered))
	}
	kinds := table{Title: d.ui("exec.kinds"), Rows: [][]int{}, Columns: []column{d.column("kind", words), d.column("cases", figure), d.column("landed", figure), d.column("states", figure)}}
	d.execKind(&kinds, "exec.kills", e.Kills, e.Complete)
	if e.PowerLoss != nil {
		d.execKind(&kinds, "exec.power", *e.PowerLoss, e.Complete)
	}
	found := table{Title: d.ui("violations"), Rows: [][]int{}, Columns: []column{d.column("call", words), d.column("path", words), d.column("detail.text", prose), d.column("plan", code), d.column("replay", code)}}
	for _, v := range e.Violations {
		found.add(invariantMark(v.Invariant), d.name(v.Invariant), d.name(v.Call), d.name(v.Path), d.name(v.Detail), d.name(v.Plan), d.name(v.Replay))
	}
	d.legend("no.violation", open, missed, broken, lost, doubled)
	d.execTerms(e)
	d.tables(kinds, found)
}

// execTerms explains what the names and numbers of a sweep stand for.
func (d *data) execTerms(e history.Exec) {
	rules := slices.Collect(maps.Keys(e.Kills.Violations))
	if e.PowerLoss != nil {
		rules = slices.AppendSeq(rules, maps.Keys(e.PowerLoss.Violations))
	}
	for _, v := range e.Violations {
		rules = append(rules, v.Invariant)
	}
	d.rules("exec", rules)
	d.numbers("exec", "durable", "cases", "landed", "states")
}

// execKind is one kind of crash: how many cases break what, or that none does. Only of a whole run does it say the
// latter.
func (d *data) execKind(t *table, key string, c history.ExecColumn, complete bool) {
	m, result := safe, d.ui("no.violation")
	var found []story.Text
	for _, n := range slices.Sorted(maps.Keys(c.Violations)) {
		if cases := c.Violations[n]; cases > 0 {
			found = append(found, texts["exec.broken"].Format(n, cases, c.Cases))
			m = worse(m, invariantMark(n))
		}
	}
	switch {
	case len(found) > 0:
		result = d.joined(found)
	case !complete:
		m, result = open, d.ui("verdict.undecided")
	case c.Cases == 0 || c.Landed < c.Cases:
		m, result = missed, d.ui("mark.missed")
	}
	t.add(m, result, d.ui(key), c.Cases, c.Landed, c.States)
}

// worse returns the worse of two marks.
func worse(a, b mark) mark {
	if rank[b] > rank[a] {
		return b
	}
	return a
}
