package services_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

func caller(ticket string, faults ...services.Fault) services.Caller {
	return services.Caller{TicketID: ticket, Faults: faults}
}

// everyKind runs a test on memory, file and HTTP: what it asserts is the contract of all three.
func everyKind(t *testing.T, p provider.Profile, test func(*testing.T, *world)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) { test(t, kind.open(t, p)) })
	}
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestWrite_OnceForOneID(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		first, err := send(ctx, s, "manual-1", refund("LK-100002", 11900, "PAY-2B"))
		if err != nil {
			t.Fatal(err)
		}
		want := resolver.Change{
			RecordID: "RF-4CFEAE8E", OperationID: "manual-1", TicketID: "T-1", Currency: "CAD", At: w.now,
			Action: refund("LK-100002", 11900, "PAY-2B"),
		}
		equal(t, "first answer", want, first)
		w.advance(time.Hour)
		// The same id again returns the first result, whatever is asked for under it.
		second, err := send(ctx, s, "manual-1", refund("LK-100001", 100, ""))
		if err != nil {
			t.Fatal(err)
		}
		repeated := want
		repeated.Repeated = true
		equal(t, "second answer", repeated, second)
		equal(t, "changes", []resolver.Change{want}, w.changes())
		equal(t, "received", 2, len(w.image().Received))
	})
}

func TestRegister_ShowsWhatHappened(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		pay, _ := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
		w.advance(time.Second)
		sent, _ := send(ctx, s, "op-2", reship("LK-100001", "POT", 1))
		mark, _ := send(ctx, s, "op-3", label("LK-100001", "POT", "damaged"))

		lookups := []struct {
			name     string
			register resolver.Register
			id       string
			want     *resolver.Change
		}{
			{"a refund", s.Payment, "op-1", &pay},
			{"a reshipment", s.Warehouse, "op-2", &sent},
			{"a label", s.Warehouse, "op-3", &mark},
			{"nothing", s.Payment, "op-9", nil},
			{"the warehouse's at the payment service", s.Payment, "op-2", nil},
			{"a refund at the warehouse", s.Warehouse, "op-1", nil},
		}
		for _, l := range lookups {
			got, found, err := l.register.Operation(ctx, l.id)
			if err != nil || found != (l.want != nil) {
				t.Errorf("%s: found %v, %v", l.name, found, err)
			}
			if l.want != nil {
				equal(t, l.name, *l.want, got)
				back, found, err := l.register.ReadBack(ctx, l.want.RecordID)
				if err != nil || !found {
					t.Errorf("%s: read back %v, %v", l.name, found, err)
				}
				equal(t, l.name+" read back", *l.want, back)
			}
		}
		recent, err := s.Warehouse.RecentChanges(ctx, "LK-100001")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "recent changes", []resolver.Change{sent, mark}, recent)
		equal(t, "all changes", []resolver.Change{pay, sent, mark}, w.changes())
	})
}

func TestGetOrder_ShowsChangesAndSeeds(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		_, err1 := send(ctx, s, "op-1", refund("LK-100003", 500, ""))
		_, err2 := send(ctx, s, "op-2", reship("LK-100003", "POT", 2))
		_, err3 := send(ctx, s, "op-3", label("LK-100003", "POT", "change_of_mind"))
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		order, err := s.Orders.GetOrder(ctx, "C-2", "LK-100003")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "order", resolver.Order{
			OrderID: "LK-100003", CustomerID: "C-2", Status: "return_requested", OrderedOn: "2026-09-10", ShippedOn: "2026-09-11",
			DeliveredOn: "2026-09-15", TotalCents: 5000, Currency: "CAD",
			Items: []resolver.Item{
				{SKU: "POT", Product: "pot", Quantity: 1, UnitPriceCents: 2000, Box: 1, InStock: 1, ChangeOfMindReturn: true},
				{SKU: "POT", Product: "pot", Quantity: 2, UnitPriceCents: 2000, Box: 2, InStock: 1, ChangeOfMindReturn: true},
			},
			Refunds: []resolver.Record{
				{RecordID: "RF-0001", AmountCents: 3000, Reason: "RFD-RETURN", PaymentID: "PAY-3", On: "2026-10-01"},
				{RecordID: resolver.RecordID(resolver.RequestRefund, "op-1"), AmountCents: 500, Reason: "RFD-LATE", On: "2026-10-09"},
			},
			Labels: []resolver.Record{
				{RecordID: "RL-0001", SKU: "POT", AmountCents: 1295, Reason: "change_of_mind", On: "2026-09-28"},
				{RecordID: resolver.RecordID(resolver.CreateReturnLabel, "op-3"), SKU: "POT", AmountCents: 1295, Reason: "change_of_mind", On: "2026-10-09"},
			},
			Reshipments: []resolver.Record{{RecordID: resolver.RecordID(resolver.ReshipItem, "op-2"), SKU: "POT", Quantity: 2, On: "2026-10-09"}},
		}, order)
	})
}

func TestLabelFee(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		for _, reason := range []string{"damaged", "wrong_item", "change_of_mind"} {
			if _, err := send(ctx, s, reason, label("LK-100001", "POT", reason)); err != nil {
				t.Fatal(err)
			}
		}
		order, err := s.Orders.GetOrder(ctx, "C-1", "LK-100001")
		if err != nil {
			t.Fatal(err)
		}
		var fees []int64
		for _, l := range order.Labels {
			fees = append(fees, l.AmountCents)
		}
		equal(t, "fees", []int64{0, 0, 1295}, fees)
	})
}

func TestReads(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		orders, err := s.Orders.GetCustomerOrders(ctx, "C-1")
		if err != nil || len(orders) != 2 || orders[0].OrderID != "LK-100001" {
			t.Errorf("orders %v, %v", orders, err)
		}
		none, err := s.Orders.GetCustomerOrders(ctx, "C-9")
		if err != nil || len(none) != 0 {
			t.Errorf("orders of nobody: %v, %v", none, err)
		}
		equal(t, "boxes", []resolver.Shipment{{Box: 1, Status: "delivered", ShippedOn: "2026-09-21", DeliveredOn: "2026-09-24", LastScanOn: "2026-09-24", CourierNote: "left at the door"}}, orders[0].Boxes)

		if _, err := send(ctx, s, "op-1", refund("LK-100002", 11900, "PAY-2B")); err != nil {
			t.Fatal(err)
		}
		payments, err := s.Payment.GetPayments(ctx, "C-1", "LK-100002")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "payments", resolver.Payments{
			OrderID: "LK-100002",
			Payments: []resolver.PaymentRecord{
				{PaymentID: "PAY-2A", Kind: "charge", AmountCents: 11900, Status: "captured", CreatedOn: "2026-09-23"},
				{PaymentID: "PAY-2B", Kind: "charge", AmountCents: 11900, Status: "refunded", CreatedOn: "2026-09-23"},
				{PaymentID: "PAY-2C", Kind: "authorisation", AmountCents: 11900, Status: "released", CreatedOn: "2026-09-23"},
			},
			Refunds: []resolver.Record{{RecordID: resolver.RecordID(resolver.RequestRefund, "op-1"), AmountCents: 11900, Reason: "RFD-LATE", PaymentID: "PAY-2B", On: "2026-10-09"}},
		}, payments)

		refunds, err := s.Payment.GetRefunds(ctx, "LK-100003")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "refunds of the data", []resolver.Change{{
			RecordID: "RF-0001", OperationID: "seed-RF-0001", Currency: "CAD", At: time.Date(2026, 10, 1, 10, 0, 0, 0, time.UTC),
			Action: resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-100003", AmountCents: 3000, ReasonCode: "RFD-RETURN", PaymentID: "PAY-3"},
		}}, refunds)
	})
}

func TestReads_OfAnotherCustomer(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		for _, orderID := range []string{"LK-100003", "LK-999999"} {
			_, ofOrder := s.Orders.GetOrder(ctx, "C-1", orderID)
			_, ofPayments := s.Payment.GetPayments(ctx, "C-1", orderID)
			for _, err := range []error{ofOrder, ofPayments} {
				var refused *resolver.RefusedError
				if !errors.As(err, &refused) || refused.Code != "not_found" || refused.Message != "this customer has no order "+orderID {
					t.Errorf("%s: %v", orderID, err)
				}
			}
		}
	})
}

func TestAddNote_OnceForOneName(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		for _, n := range []struct{ ticket, id, text string }{{"T-1", "n-1", "first"}, {"T-1", "n-1", "again"}, {"T-2", "n-1", "other ticket"}} {
			if err := s.Tickets.AddNote(ctx, n.ticket, n.id, n.text); err != nil {
				t.Fatal(err)
			}
		}
		id := resolver.RecordID(resolver.AddNote, "n-1")
		equal(t, "notes", []services.Note{{RecordID: id, TicketID: "T-1", ID: "n-1", Text: "first"}, {RecordID: id, TicketID: "T-2", ID: "n-1", Text: "other ticket"}}, w.image().Notes)
		equal(t, "changes", 0, len(w.changes()))
	})
}

func TestWrite_RefusesTheDatasOwnNames(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		_, err := send(ctx, w.services(caller("T-1")), "seed-1", refund("LK-100001", 995, ""))
		var refused *resolver.RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%v", err)
		}
	})
}

func TestWrite_WithoutAKey(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		var names []string
		for range 2 {
			c, err := send(ctx, s, "", refund("LK-100001", 995, ""))
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, c.OperationID, c.RecordID)
		}
		equal(t, "names", []string{"request-1", "RF-19F1064B", "request-2", "RF-6FC63565"}, names)
	})
}

func TestSearchPolicy(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		s := w.services(caller("T-1"))
		for _, c := range []struct {
			query string
			want  []string
		}{
			{"lost", []string{"W3"}},
			{"CAFE creme", []string{"W3"}},
			{"refunded late shipping fee", []string{"W2", "W3"}},
			{`") OR title:damage NOT * NEAR(broken pot)`, []string{"W5"}}, // words, never operators
			{"is a an", nil},
			{"unicorn", nil},
			{"", nil},
			{"\x00 \xff", nil},
		} {
			found, err := s.Policy.SearchPolicy(ctx, c.query)
			if err != nil {
				t.Errorf("%q: %v", c.query, err)
			}
			equal(t, c.query, c.want, idsOf(found))
		}
	})
}

func TestSearchPolicy_BestThreeThenByID(t *testing.T) {
	var same []resolver.Passage
	for _, id := range []string{"D", "B", "E", "A", "C"} {
		same = append(same, resolver.Passage{ID: id, Title: "Pots", Text: "About a pot."})
	}
	m := services.NewMemory(services.Config{Data: shop(), Policy: same, Now: newClock().Now})
	for range 2 { // the second time from memory
		found, err := m.Services(caller("T-1")).Policy.SearchPolicy(ctx, "pot")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "passages", []string{"A", "B", "C"}, idsOf(found))
	}
}

func idsOf(passages []resolver.Passage) []string {
	var ids []string
	for _, p := range passages {
		ids = append(ids, p.ID)
	}
	return ids
}
