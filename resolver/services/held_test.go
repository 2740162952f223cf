package services_test

import (
	"fmt"
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// A request is held, the caller sends it again, then the held one is delivered.
func TestHold_KeyInFlight(t *testing.T) {
	want := map[string][3]string{ // the repeat, the delivery, changes
		"replay-all":     {"in flight", "ok", "1"},
		"resume":         {"in flight", "ok", "1"},
		"latest-status":  {"in flight", "ok", "1"},
		"success-only":   {"ok", "ok repeated", "1"},
		"transient-flag": {"in flight", "ok", "1"},
		"key-only":       {"ok", "ok repeated", "1"},
		"no-key":         {"ok", "ok", "2"},
		"scoped-token":   {"in flight", "ok", "1"},
		"cancel-by-key":  {"in flight", "ok", "1"},
		"blind":          {"ok", "ok", "2"},
		"larkfield":      {"ok", "ok repeated", "1"},
	}
	for _, p := range provider.Profiles() {
		everyKind(t, p, func(t *testing.T, w *world) {
			c := caller("T-1")
			held, err := w.inner.Hold(ctx, c, resolver.WriteRequest{TicketID: "T-1", Key: "op-1", Action: refund("LK-100001", 995, "")})
			if held == nil || err != nil {
				t.Fatalf("held %v, %v", held, err)
			}
			_, repeat := send(ctx, w.services(c), "op-1", refund("LK-100001", 995, ""))
			delivered, err := w.inner.Deliver(ctx, held)
			late := nameOf(err)
			if delivered.Repeated {
				late += " repeated"
			}
			equal(t, p.Name, want[p.Name], [3]string{nameOf(repeat), late, fmt.Sprint(len(w.changes()))})
		})
	}
}

func TestHold_NothingLeftToDo(t *testing.T) {
	w := openMemory(t, provider.ReplayAll())
	send(ctx, w.services(caller("T-1")), "op-1", refund("LK-100001", 995, ""))
	held, err := w.inner.Hold(ctx, caller("T-1"), resolver.WriteRequest{Key: "op-1", Action: refund("LK-100001", 995, "")})
	if held != nil || err != nil {
		t.Errorf("held %v, %v", held, err)
	}
}

func TestHold_OrphanedClaimBlocksThenFrees(t *testing.T) {
	everyKind(t, provider.ReplayAll(), func(t *testing.T, w *world) {
		if _, err := w.inner.Hold(ctx, caller("T-1"), resolver.WriteRequest{Key: "op-1", Action: refund("LK-100001", 995, "")}); err != nil {
			t.Fatal(err)
		}
		s := w.services(caller("T-1"))
		w.advance(provider.OrphanAfter - 1)
		_, blocked := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
		w.advance(1)
		_, free := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
		equal(t, "answers", []string{"in flight", "ok"}, []string{nameOf(blocked), nameOf(free)})
	})
}
