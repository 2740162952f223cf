package services_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

func TestParseFault(t *testing.T) {
	for text, want := range map[string]services.Fault{
		"request_refund:timeout_after_write": {Tool: "request_refund", Mode: services.TimeoutAfterWrite, Times: 1},
		"get_payments:unavailable:99":        {Tool: "get_payments", Mode: services.Unavailable, Times: 99},
		"reship_item:denied:2":               {Tool: "reship_item", Mode: services.Denied, Times: 2},
		"add_note:timeout":                   {Tool: "add_note", Mode: services.Timeout, Times: 1},
	} {
		got, err := services.ParseFault(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v %q, %v", text, got, got, err)
		}
	}
}

func TestParseFault_SaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "is not TOOL:MODE",
		"request_refund":                        "is not TOOL:MODE",
		"a:b:c:d":                               "is not TOOL:MODE",
		"request_refnd:timeout":                 `unknown tool "request_refnd", did you mean "request_refund"?`,
		"qqqqqqqqqqqqqqqqqqqqqqqqqqqqq:timeout": "unknown tool",
		"request_refund:time_out":               `unknown mode "time_out", did you mean "timeout"?`,
		"get_order:denied":                      "get_order is a read; its modes are timeout and unavailable",
		"get_order:timeout_after_write":         "get_order is a read",
		"request_refund:timeout:0":              "TIMES 0 is not a number from 1 to 999",
		"request_refund:timeout:1000":           "TIMES 1000 is not",
		"request_refund:timeout:01":             `TIMES "01" is not`,
		"request_refund:timeout:-1":             "TIMES -1 is not",
		"request_refund:timeout:":               `TIMES "" is not`,
	} {
		_, err := services.ParseFault(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, text := range []string{"request_refund:timeout_after_write:2", "get_order:timeout", ":", "a:b:99999999999999999999", "reship_item:denied:01"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := services.ParseFault(text)
		if err != nil {
			return
		}
		if err := fault.Validate(); err != nil {
			t.Errorf("%q parses, but: %v", text, err)
		}
		if again, err := services.ParseFault(fault.String()); err != nil || again != fault {
			t.Errorf("%q prints as %q, which reads as %+v, %v", text, fault, again, err)
		}
	})
}

func mustParse(t *testing.T, text string) services.Fault {
	t.Helper()
	f, err := services.ParseFault(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each line is a fault, the answers to calls in order, and how many changes there are after each.
func TestFaults_OnWrites(t *testing.T) {
	for _, c := range []struct {
		fault   string
		answers []string
		changes []int
	}{
		{"request_refund:timeout", []string{"timeout", "ok"}, []int{0, 1}},
		{"request_refund:timeout_before_write", []string{"timeout", "ok"}, []int{0, 1}},
		{"request_refund:timeout_after_write", []string{"timeout", "ok"}, []int{1, 1}},
		{"request_refund:timeout_after_write:3", []string{"timeout", "timeout", "timeout", "ok"}, []int{0, 0, 1, 1}},
		{"request_refund:unavailable:2", []string{"unavailable", "unavailable", "ok"}, []int{0, 0, 1}},
		{"request_refund:denied", []string{"refused", "ok"}, []int{0, 1}},
		{"reship_item:timeout", []string{"ok"}, []int{1}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
				for i, want := range c.answers {
					// A new caller each time: what was used must be known to the services.
					s := w.services(caller("T-1", mustParse(t, c.fault)))
					_, err := send(ctx, s, "op-1", refund("LK-100001", 995, ""))
					if got := nameOf(err); got != want {
						t.Errorf("call %d: %s, want %s", i+1, got, want)
					}
					var struck *resolver.FaultError
					if name := mustParse(t, c.fault).Name(); errors.As(err, &struck) != (want != "ok") || struck != nil && struck.Fault != name {
						t.Errorf("call %d: %v is not the fault's", i+1, err)
					}
					equal(t, "changes", c.changes[i], len(w.changes()))
				}
			})
		})
	}
}

func TestFaults_OnReads(t *testing.T) {
	reads := map[string]func(resolver.Services) error{
		"get_order":           func(s resolver.Services) error { _, err := s.Orders.GetOrder(ctx, "C-1", "LK-100001"); return err },
		"get_customer_orders": func(s resolver.Services) error { _, err := s.Orders.GetCustomerOrders(ctx, "C-1"); return err },
		"get_payments":        func(s resolver.Services) error { _, err := s.Payment.GetPayments(ctx, "C-1", "LK-100001"); return err },
		"search_policy":       func(s resolver.Services) error { _, err := s.Policy.SearchPolicy(ctx, "late"); return err },
		"add_note":            func(s resolver.Services) error { return s.Tickets.AddNote(ctx, "T-1", "n", "x") },
	}
	for tool, read := range reads {
		for mode, want := range map[string]error{"timeout": resolver.ErrTimeout, "unavailable": resolver.ErrUnavailable} {
			everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
				s := w.services(caller("T-1", mustParse(t, tool+":"+mode)))
				first, second := read(s), read(s)
				var struck *resolver.FaultError
				if !errors.Is(first, want) || !errors.As(first, &struck) || struck.Fault != tool+":"+mode || second != nil {
					t.Errorf("%s:%s: %v, then %v", tool, mode, first, second)
				}
			})
		}
	}
}

func TestFaults_AreRecordedWithTheServices(t *testing.T) {
	everyKind(t, provider.Larkfield(), func(t *testing.T, w *world) {
		fault := mustParse(t, "request_refund:timeout_before_write:2")
		first := w.services(services.Caller{TicketID: "T-1", RunID: "run-1", Faults: []services.Fault{fault}})
		other := w.services(services.Caller{TicketID: "T-1", RunID: "run-2", Faults: []services.Fault{fault}})
		for _, s := range []resolver.Services{first, first, first, other} {
			send(ctx, s, "op-1", refund("LK-100001", 995, ""))
		}
		equal(t, "used", []services.FaultUse{
			{Run: "run-1", Fault: "request_refund:timeout_before_write", Count: 2},
			{Run: "run-2", Fault: "request_refund:timeout_before_write", Count: 1},
		}, w.image().FaultsUsed)
		// The requests that a fault struck did arrive.
		equal(t, "received", 4, w.image().Received[0].Count)
	})
}
