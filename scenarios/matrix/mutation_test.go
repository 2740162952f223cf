package matrix_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// swaps are the executor as it is and with one of its three safeguards taken out. The last three run in a
// world in which somebody changes the saved proposal after its approval, between two lives.
var swaps = map[string]scenarios.Planting{
	"whole": {},
	"no question to the service": {Tamper: func(r *resolver.Runner, _ scenarios.Bench) {
		r.Strategy.Ask = resolver.AskNothing
	}},
	"no save before the call": {Tamper: func(r *resolver.Runner, _ scenarios.Bench) {
		r.Store = withoutAttempts{r.Store}
	}},
	"changed proposal": {Tamper: func(r *resolver.Runner, _ scenarios.Bench) {
		r.Store = changedProposal{r.Store, false}
	}},
	"changed proposal, no comparison of fingerprints": {Tamper: func(r *resolver.Runner, _ scenarios.Bench) {
		r.Store = changedProposal{r.Store, true}
	}},
}

// withoutAttempts leaves out the save before a call.
type withoutAttempts struct{ resolver.Store }

func (w withoutAttempts) Save(ctx context.Context, s *resolver.TaskState, lease resolver.Lease, trail ...resolver.TrailEntry) error {
	if slices.ContainsFunc(trail, func(e resolver.TrailEntry) bool { return e.What == "attempt" }) {
		return nil
	}
	return w.Store.Save(ctx, s, lease, trail...)
}

// changedProposal loads an approved run with another amount than was approved. Whoever does not compare
// can't tell: every approval fits.
type changedProposal struct {
	resolver.Store
	fits bool
}

func (c changedProposal) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	s, err := c.Store.Load(ctx, runID)
	if err != nil || s.Approval == nil || len(s.Operations) > 0 {
		return s, err
	}
	s.Proposal.Actions[0].AmountCents += 100
	if c.fits {
		s.Approval.Fingerprint = resolver.Fingerprint(s)
	}
	return s, nil
}

// swapped runs a plan with a swap in a mode.
func swapped(t *testing.T, swap, provider, mode, text string) explorer.Replayed {
	t.Helper()
	plan, err := faults.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	s := scenarios.Setting{Provider: provider}.WithDefaults()
	settings, err := scenarios.RefundScenario().Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Scenario = swap
	var w explorer.World
	if mode == matrix.Simulate {
		w, err = swaps[swap].Simulate(s)
	} else {
		var p scenarios.Program
		if p, err = swaps[swap].Program(s, swappedTask); err == nil {
			w, err = scenarios.NewKilled(context.Background(), p, scenarios.KillOptions{})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := w.(io.Closer); ok {
		defer c.Close()
	}
	r, err := explorer.Replay(context.Background(), w, plan, explorer.Options{Settings: settings, MaxLives: 2, Once: mode == matrix.Kill})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// seen says what a replay amounts to in one line: effects and their sum, the calls that the service
// received, what is broken.
func seen(r explorer.Replayed) string {
	var cents int64
	for _, e := range r.Outcome.Ledger {
		cents += e.AmountCents
	}
	calls := 0
	for _, n := range r.Outcome.Received {
		calls += n
	}
	return fmt.Sprintf("%d refunds of %d, %d calls; %s", len(r.Outcome.Ledger), cents, calls, strings.Join(r.History.Violations, " "))
}

// TestSafeguards takes out, one after the other, the question to the service, the save before the call and
// the comparison of fingerprints: each must show, in both modes, where the whole executor is fine.
//
// On larkfield the key still saves the day, so a missing question or save shows in the calls; on a service
// without keys it shows in the money.
func TestSafeguards(t *testing.T) {
	const (
		afterWrite    = "kill payment.request_refund/after#1"
		afterApproval = "kill checkpoint.save/after#3"
	)
	for _, c := range []struct{ swap, provider, plan, want string }{
		{"whole", "larkfield", afterWrite, "1 refunds of 995, 1 calls; "},
		{"no question to the service", "larkfield", afterWrite, "1 refunds of 995, 2 calls; "},
		{"no save before the call", "larkfield", afterWrite, "1 refunds of 995, 2 calls; "},

		{"whole", "no-key", afterWrite, "1 refunds of 995, 1 calls; "},
		{"no question to the service", "no-key", afterWrite, "2 refunds of 1990, 2 calls; double-write"},
		{"no save before the call", "no-key", afterWrite, "2 refunds of 1990, 2 calls; double-write"},

		{"whole", "larkfield", afterApproval, "1 refunds of 995, 1 calls; "},
		// Nothing is sent for what nobody approved, however often it is started again.
		{"changed proposal", "larkfield", afterApproval, "0 refunds of 0, 0 calls; "},
		{"changed proposal, no comparison of fingerprints", "larkfield", afterApproval, "1 refunds of 1095, 1 calls; unapproved-write"},
	} {
		for _, mode := range modes() {
			t.Run(c.swap+"/"+c.provider+"/"+mode, func(t *testing.T) {
				r := swapped(t, c.swap, c.provider, mode, c.plan)
				got := seen(r)
				// Other invariants may break, too: that is what a broken executor does.
				if !strings.HasPrefix(got, c.want) || c.swap == "whole" && got != c.want {
					t.Errorf("%s\nwant %s", got, c.want)
				}
				if c.swap == "whole" && r.History.Verdict != history.Pass {
					t.Errorf("verdict %s: %v", r.History.Verdict, r.History.Broken)
				}
				if strings.Contains(c.swap, "changed") && strings.Contains(got, "unapproved-write") != strings.Contains(c.want, "unapproved-write") {
					t.Errorf("%s\nwant %s", got, c.want)
				}
			})
		}
	}
}
