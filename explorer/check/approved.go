package check

import "github.com/paytwice/paytwice/explorer/history"

// approved returns the distinct approved intents of an outcome, in the order in which they appear.
func approved(o *Outcome) []history.Intent {
	var out []history.Intent
	seen := map[string]bool{}
	add := func(list []history.Intent) {
		for _, i := range list {
			if !seen[i.ID] {
				seen[i.ID] = true
				out = append(out, i)
			}
		}
	}
	add(o.Intents)
	for _, r := range o.Runs {
		add(r.Approved)
	}
	return out
}

// effectsOf returns the effects of one intent that still stand.
func effectsOf(o *Outcome, intent string) []history.Effect {
	var out []history.Effect
	for i := range o.Ledger {
		if e := &o.Ledger[i]; e.Intent == intent && !e.Reversed {
			out = append(out, *e)
		}
	}
	return out
}

func operationOf(r history.Saved, intent string) *history.Operation {
	for i := range r.Operations {
		if r.Operations[i].ID == intent {
			return &r.Operations[i]
		}
	}
	return nil
}

func hasIntent(list []history.Intent, id string) bool {
	for i := range list {
		if list[i].ID == id {
			return true
		}
	}
	return false
}
