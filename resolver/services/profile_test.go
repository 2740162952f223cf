package services_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// outcome is what one refund's story comes to under a profile: the errors of the calls, the changes that
// stand, and whether a look-up finds the change at once and after the lag.
type outcome struct {
	calls   []string
	changes int
	at, lag string
}

func nameOf(err error) string {
	var refused *resolver.RefusedError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &refused):
		return refused.Code
	case errors.Is(err, resolver.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, resolver.ErrInFlight):
		return "in flight"
	case errors.Is(err, resolver.ErrTimeout):
		return "timeout"
	}
	return err.Error()
}

func TestProfiles_AnswerLostThenRepeated(t *testing.T) {
	found, none, blind := "true", "false", "no_lookup"
	want := map[string]outcome{
		"replay-all":     {[]string{"timeout", "ok"}, 1, found, found},
		"resume":         {[]string{"timeout", "ok"}, 1, found, found},
		"latest-status":  {[]string{"timeout", "ok"}, 1, found, found},
		"success-only":   {[]string{"timeout", "ok"}, 1, none, found},
		"transient-flag": {[]string{"timeout", "ok"}, 1, none, found},
		"key-only":       {[]string{"timeout", "ok"}, 1, none, found},
		"no-key":         {[]string{"timeout", "ok"}, 2, none, found},
		"scoped-token":   {[]string{"timeout", "ok"}, 1, none, found},
		"cancel-by-key":  {[]string{"timeout", "ok"}, 1, none, found},
		"blind":          {[]string{"timeout", "ok"}, 2, blind, blind},
		"larkfield":      {[]string{"timeout", "ok"}, 1, found, found},
	}
	for _, p := range provider.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			// The answer is lost by a practice fault, because that works over HTTP too.
			fault := services.Fault{Tool: "request_refund", Mode: services.TimeoutAfterWrite, Times: 1}
			everyKind(t, p, func(t *testing.T, w *world) {
				s := w.services(caller("T-1", fault))
				_, first := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
				at := lookup(s.Payment)
				_, second := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
				w.advance(5 * time.Second)
				got := outcome{[]string{nameOf(first), nameOf(second)}, len(w.changes()), at, lookup(s.Payment)}
				if fmt.Sprint(got) != fmt.Sprint(want[p.Name]) {
					t.Errorf("got %v, want %v", got, want[p.Name])
				}
			})
		})
	}
}

func lookup(r resolver.Register) string {
	_, found, err := r.Operation(ctx, "op-1")
	if err != nil {
		return nameOf(err)
	}
	return fmt.Sprint(found)
}

func TestProfiles_CapabilitiesFollow(t *testing.T) {
	for _, p := range provider.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			everyKind(t, p, func(t *testing.T, w *world) {
				s := w.services(caller("T-1"))
				want := resolver.Capabilities(p.Capabilities())
				equal(t, "payment", want, s.Payment.Capabilities())
				equal(t, "warehouse", want, s.Warehouse.Capabilities())
			})
		})
	}
}

// Each line is a request under a trouble, then how it and a plain repeat are answered, and how many
// changes stand. The engine's own tests have the whole table; these are the answers that its statuses
// become.
func TestWrite_AnswersBecomeErrors(t *testing.T) {
	for _, c := range []struct {
		profile provider.Profile
		trouble provider.Trouble
		first   string
		repeat  string
		changes int
	}{
		{provider.ReplayAll(), provider.ErrorAfter, "timeout", "timeout", 1},
		{provider.ReplayAll(), provider.ErrorBefore, "timeout", "timeout", 0},
		{provider.ReplayAll(), provider.UnavailableBefore, "unavailable", "ok", 1},
		{provider.ReplayAll(), provider.Refuse, "refused", "refused", 0},
		{provider.SuccessOnly(), provider.UnavailableAfter, "unavailable", "ok", 2},
		{provider.Resume(), provider.ErrorAfter, "timeout", "ok", 1},
		{provider.Resume(), provider.FailLater, "ok", "ok", 1},
		{provider.LatestStatus(), provider.FailLater, "ok", "reversed", 0},
		{provider.ScopedToken(), provider.FailLater, "ok", "ok", 0},
		{provider.Larkfield(), provider.LoseBefore, "timeout", "ok", 1},
	} {
		t.Run(fmt.Sprint(c.profile.Name, " ", c.trouble), func(t *testing.T) {
			for _, kind := range kinds[:2] {
				w := kind.open(t, c.profile)
				s := w.services(caller("T-1"))
				_, first := send(provider.WithKnobs(ctx, provider.Knobs{Trouble: c.trouble}), s, "op-1", refund("LK-100001", 995, ""))
				_, repeat := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
				got := []string{nameOf(first), nameOf(repeat), fmt.Sprint(len(w.changes()))}
				equal(t, kind.name, []string{c.first, c.repeat, fmt.Sprint(c.changes)}, got)
			}
		})
	}
}

func TestWrite_KeyReused(t *testing.T) {
	for name, want := range map[string]string{"replay-all": "key_reused", "latest-status": "key_reused", "key-only": "ok", "larkfield": "ok"} {
		p, _ := provider.ByName(name)
		everyKind(t, p, func(t *testing.T, w *world) {
			s := w.services(caller("T-1"))
			first, _ := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
			other, err := send(ctx, s, "op-1", reship("LK-100001", "POT", 1))
			if got := nameOf(err); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
			// Where payloads are not compared the caller is shown what was done under the key.
			if err == nil {
				equal(t, name, first.Action, other.Action)
			}
		})
	}
}

func TestWrite_KeyExpires(t *testing.T) {
	everyKind(t, provider.KeyOnly(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		var records []string
		for _, wait := range []time.Duration{0, 30*time.Minute - 1, 1} {
			w.advance(wait)
			c, err := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, c.RecordID)
		}
		if records[0] != records[1] || records[1] == records[2] || len(w.changes()) != 2 {
			t.Errorf("records %v, %d changes", records, len(w.changes()))
		}
		w.advance(5 * time.Second)
		for _, id := range records {
			if _, found, err := s.Payment.ReadBack(ctx, id); !found || err != nil {
				t.Errorf("%s: found %v, %v", id, found, err)
			}
		}
	})
}

func TestFailLater_GivesBackWhatItTook(t *testing.T) {
	for _, kind := range kinds[:2] {
		t.Run(kind.name, func(t *testing.T) {
			w := kind.open(t, provider.ReplayAll())
			s := w.services(caller("T-1"))
			later := provider.WithKnobs(ctx, provider.Knobs{Trouble: provider.FailLater, FailAfter: time.Minute})
			paid, err1 := send(later, s, "op-1", refund("LK-100002", 11900, "PAY-2B"))
			_, err2 := send(later, s, "op-2", reship("LK-100001", "POT", 2))
			_, err3 := send(later, s, "op-3", label("LK-100001", "POT", "damaged"))
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			if _, err := send(ctx, s, "op-4", reship("LK-100001", "POT", 2)); nameOf(err) != "out_of_stock" {
				t.Errorf("while the change stands: %v", err)
			}
			w.advance(time.Minute)
			equal(t, "changes", 0, len(w.changes()))
			if _, found, _ := s.Payment.ReadBack(ctx, paid.RecordID); found {
				t.Error("a refund that failed is still shown")
			}
			ledger, err := w.inner.Ledger(ctx)
			if err != nil || len(ledger) != 3 || ledger[0].ReversedAt != w.now {
				t.Errorf("ledger %+v, %v", ledger, err)
			}
			for key, a := range map[string]resolver.Action{"op-5": refund("LK-100002", 11900, "PAY-2B"), "op-6": reship("LK-100001", "POT", 2)} {
				if _, err := send(ctx, s, key, a); err != nil {
					t.Errorf("again: %v", err)
				}
			}
			order, err := s.Orders.GetOrder(ctx, "C-1", "LK-100001")
			if err != nil || order.Items[0].InStock != 1 {
				t.Errorf("stock of %+v, %v", order.Items, err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	for _, kind := range kinds[:2] {
		t.Run(kind.name, func(t *testing.T) {
			w := kind.open(t, provider.CancelByKey())
			s := w.services(caller("T-1"))
			for _, want := range []int{0, 1} {
				n, err := w.inner.Cancel(ctx, "op-1")
				if n != want || err != nil {
					t.Errorf("cancelled %d, %v, want %d", n, err, want)
				}
				// The first cancel found nothing; the late original applies all the same.
				if _, err := send(ctx, s, "op-1", refund("LK-100001", 995, "")); err != nil {
					t.Fatal(err)
				}
			}
			equal(t, "changes", 0, len(w.changes()))
		})
	}
	w := openMemory(t, provider.Larkfield())
	if _, err := w.inner.Cancel(ctx, "op-1"); !errors.Is(err, provider.ErrNoCancel) {
		t.Errorf("%v", err)
	}
}

func TestLookup_KnobLags(t *testing.T) {
	for _, kind := range kinds[:2] {
		w := kind.open(t, provider.Larkfield())
		s := w.services(caller("T-1"))
		send(ctx, s, "op-1", refund("LK-100001", 995, ""))
		lagging := provider.WithKnobs(ctx, provider.Knobs{Lag: 5 * time.Second})
		_, before, _ := s.Payment.Operation(lagging, "op-1")
		recent, _ := s.Payment.RecentChanges(lagging, "LK-100001")
		refunds, _ := s.Payment.GetRefunds(lagging, "LK-100001")
		w.advance(5 * time.Second)
		_, after, _ := s.Payment.Operation(lagging, "op-1")
		if before || len(recent) > 0 || len(refunds) > 0 || !after {
			t.Errorf("%s: found %v %v %v, then %v", kind.name, before, recent, refunds, after)
		}
	}
}
