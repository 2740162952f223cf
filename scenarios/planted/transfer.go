package planted

import (
	"cmp"
	"context"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/transfer"
)

// transferBugs are those of the transfer program: what a rehearsal of its rollback must not let through.
func transferBugs() []Bug {
	return []Bug{
		{Name: "rollback-repeated", Doc: "takes the same transfer back as often as it is asked to",
			Invariant: "state-mismatch", Mode: Kill, Crashes: 2, Form: transfer.CheckFailsName, Transfer: transfer.Planting{Bank: reversesAgain}},
		{Name: "no-alert", Doc: "notes in its record that the check failed, and tells nobody",
			Invariant: "lost-write", Mode: Kill, Crashes: 2, Form: transfer.CheckFailsName, Transfer: transfer.Planting{HandOver: noAlert}},
		{Name: "alert-after-the-save", Doc: "saves that a person has the run, then raises the alert",
			Invariant: "lost-write", Mode: Kill, Crashes: 2, Form: transfer.CheckFailsName, Transfer: transfer.Planting{HandOver: alertLast}},
		{Name: "precondition-not-asked-again", Doc: "resumes an approved transfer without a look at what it was approved for",
			Invariant: "unapproved-write", Mode: Kill, Faults: []string{"world " + transfer.TakesATo500}, Crashes: 2,
			Form: transfer.Name, Transfer: transfer.Planting{Again: notAgain}},
		{Name: "never-proposed", Doc: "finds that the precondition does not hold, whatever the account holds, and proposes nothing",
			Invariant: "needless-person", Mode: Kill, Crashes: 2, Form: transfer.Name, Transfer: transfer.Planting{Propose: neverHolds}},
		{Name: "good-transfer-taken-back", Doc: "finds after a crash that the transfer was made as approved, and takes it back",
			Invariant: "needless-person", Mode: Kill, Crashes: 2, Form: transfer.Name, Transfer: transfer.Planting{Found: distrusted}},
		{Name: "rollback-never-tried", Doc: "leaves a failed check to a person without asking the bank to take it back",
			Invariant: "state-mismatch", Mode: Kill, Crashes: 2, Form: transfer.CheckFailsName, Transfer: transfer.Planting{Reverse: notReversed}},
	}
}

// forgetful is a bank that does not remember what it has taken back.
type forgetful struct {
	scenarios.Service
	texts scenarios.Texts
}

func reversesAgain(s scenarios.Service, t scenarios.Texts) scenarios.Service { return forgetful{s, t} }

func (f forgetful) Call(ctx context.Context, site faults.Site, body []byte) (any, error) {
	if site.Operation == "reverse" {
		if err := scenarios.UpdateValue(ctx, f.texts, transfer.BankFile, func(b *transfer.Books) error {
			for i := range b.Entries {
				b.Entries[i].Reversed = false
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return f.Service.Call(ctx, site, body)
}

func noAlert(ctx context.Context, _, save func(context.Context) error) error { return save(ctx) }

func alertLast(ctx context.Context, alert, save func(context.Context) error) error {
	if err := save(ctx); err != nil {
		return err
	}
	return alert(ctx)
}

func notAgain(context.Context, func(context.Context) (string, error)) (string, error) { return "", nil }

func neverHolds(context.Context, func(context.Context) (string, error)) (string, error) {
	return "A does not hold enough", nil
}

func distrusted(own string) string { return cmp.Or(own, "nobody here has seen its answer") }

func notReversed(context.Context, func(context.Context) error) error {
	return &resolver.RefusedError{Code: "not_tried", Message: "not tried"}
}
