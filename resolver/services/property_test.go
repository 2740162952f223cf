package services_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// step is one thing that somebody does to the services.
type step struct {
	key     string
	action  resolver.Action
	knobs   provider.Knobs
	advance time.Duration
	fault   bool
}

func drawStep(t *rapid.T) step {
	s := step{
		key:     rapid.SampledFrom([]string{"", "op-1", "op-2", "op-3", "seed-1"}).Draw(t, "key"),
		advance: rapid.SampledFrom([]time.Duration{0, time.Second, 5 * time.Second, time.Hour, 25 * time.Hour}).Draw(t, "advance"),
		fault:   rapid.Bool().Draw(t, "fault"),
	}
	s.knobs = provider.Knobs{
		Trouble: rapid.SampledFrom([]provider.Trouble{"", "", "", "lose-after", "500-before", "500-after", "503-before", "503-after", "refuse", "fail-later"}).Draw(t, "trouble"),
		Lag:     rapid.SampledFrom([]time.Duration{0, 0, time.Second}).Draw(t, "lag"),
	}
	orders := rapid.SampledFrom([]string{"LK-100001", "LK-100002", "LK-100003", "LK-999999"})
	switch rapid.IntRange(0, 2).Draw(t, "tool") {
	case 0:
		s.action = refund(orders.Draw(t, "order"), rapid.SampledFrom([]int64{-1, 0, 1, 995, 4995, 11900}).Draw(t, "cents"),
			rapid.SampledFrom([]string{"", "", "PAY-1", "PAY-2A", "PAY-2B", "PAY-3"}).Draw(t, "payment"))
	case 1:
		s.action = reship(orders.Draw(t, "order"), rapid.SampledFrom([]string{"POT", "LAMP", ""}).Draw(t, "sku"), rapid.IntRange(0, 3).Draw(t, "quantity"))
	default:
		s.action = label(orders.Draw(t, "order"), rapid.SampledFrom([]string{"POT", "LAMP"}).Draw(t, "sku"),
			rapid.SampledFrom([]string{"damaged", "change_of_mind", "late"}).Draw(t, "reason"))
	}
	return s
}

// act does a step and tells everything that can be seen of it.
func (s step) act(w *world) string {
	w.advance(s.advance)
	c := services.Caller{TicketID: "T-1"}
	if s.fault {
		c.Faults = []services.Fault{{Tool: "request_refund", Mode: services.TimeoutAfterWrite, Times: 2}, {Tool: "get_payments", Mode: services.Unavailable, Times: 1}}
	}
	v := w.services(c)
	k := provider.WithKnobs(ctx, s.knobs)
	change, err := send(k, v, s.key, s.action)
	text := fmt.Sprintf("%+v %v\n", change, err)
	order, err := v.Orders.GetOrder(k, "C-1", s.action.OrderID)
	text += fmt.Sprintf("%+v %v\n", order, err)
	payments, err := v.Payment.GetPayments(k, "C-2", s.action.OrderID)
	text += fmt.Sprintf("%+v %v\n", payments, err)
	refunds, err := v.Payment.GetRefunds(k, s.action.OrderID)
	text += fmt.Sprintf("%+v %v\n", refunds, err)
	found, ok, err := v.Warehouse.Operation(k, s.key)
	return text + fmt.Sprintf("%+v %v %v\n%+v", found, ok, err, w.changes())
}

// checkAgree asserts that memory and a file tell the same story and end in the same image; that an image
// never changes once it was handed out; and that from it the same story follows.
func checkAgree(t *rapid.T, tb testing.TB) {
	p := rapid.SampledFrom(provider.Profiles()).Draw(t, "profile")
	memory, file := openMemory(tb, p), openFile(tb, p)
	m := services.NewMemory(config(memory.clock, p))
	for range rapid.IntRange(1, 6).Draw(t, "steps") {
		s := drawStep(t)
		before := memory.image()
		frozen, _ := json.Marshal(before)
		start := memory.now
		want := s.act(memory)
		if got := s.act(file); got != want {
			t.Fatalf("%+v\nmemory: %s\nfile:   %s", s, want, got)
		}
		if now, _ := json.Marshal(before); string(now) != string(frozen) {
			t.Fatalf("an image changed: %s, was %s", now, frozen)
		}
		memory.now = start
		m.Restore(before)
		again := &world{clock: memory.clock, services: m.Services, changes: changesOf(tb, m.World)}
		if got := s.act(again); got != want {
			t.Fatalf("from the image: %s, want %s", got, want)
		}
	}
	if diff := cmp.Diff(memory.image(), file.image(), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("images (-memory +file):\n%s", diff)
	}
	if refunded := refundedOf(memory, "LK-100001"); refunded > 4995 {
		t.Fatalf("%d refunded of 4995", refunded)
	}
}

func refundedOf(w *world, orderID string) (cents int64) {
	for _, c := range w.changes() {
		if c.Action.OrderID == orderID {
			cents += c.Action.AmountCents
		}
	}
	return cents
}

func TestMemoryAndFileAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) { checkAgree(r, t) })
}

func TestImage_SurvivesJSON(t *testing.T) {
	w := openMemory(t, provider.ReplayAll())
	s := w.services(caller("T-1", services.Fault{Tool: "request_refund", Mode: services.TimeoutAfterWrite, Times: 1}))
	send(ctx, s, "op-1", refund("LK-100002", 11900, "PAY-2B"))
	send(ctx, s, "", reship("LK-100001", "POT", 1))
	s.Tickets.AddNote(ctx, "T-1", "n", "text")
	text, err := json.Marshal(w.image())
	if err != nil {
		t.Fatal(err)
	}
	var back services.Image
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	equal(t, "image", w.image(), &back)
}
