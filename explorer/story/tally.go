package story

import (
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// tally counts the calls that a story passes over, so that its timeline can say how many.
type tally struct{ decisions, reads, saves, others int }

func (q *tally) count(e *history.Event) {
	switch {
	case e.Seam == "model":
		q.decisions++
	case e.Saved != nil, e.Loaded != nil, e.Seam == "lease", e.Seam == "agent", e.Seam == "checkpoint":
		// Saves are counted when they are done; the rest is book-keeping around them.
	case strings.HasPrefix(e.Operation, "get_"):
		q.reads++
	default:
		q.others++
	}
}

// flush says what was passed over since the last row.
func (t *teller) flush() {
	q := t.quiet
	t.quiet = tally{}
	var parts []Text
	for _, c := range []struct {
		n         int
		one, many Text
	}{
		{q.decisions, Text{"model decision", "décision du modèle"}, Text{"model decisions", "décisions du modèle"}},
		{q.reads, Text{"read", "lecture"}, Text{"reads", "lectures"}},
		{q.saves, Text{"save", "sauvegarde"}, Text{"saves", "sauvegardes"}},
		{q.others, Text{"other call", "autre appel"}, Text{"other calls", "autres appels"}},
	} {
		if c.n > 0 {
			parts = append(parts, count(c.n, c.one, c.many))
		}
	}
	if len(parts) > 0 {
		t.story.Rows = append(t.story.Rows, Row{Part: Work, Lane: InProcess, Detail: true, Life: t.now, What: join(parts, ", ")})
	}
}
