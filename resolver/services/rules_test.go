package services_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// rules are the decisions of the services. Each case sends its actions in order, each under a name of
// its own; all but the last must be accepted.
var rules = []struct {
	name    string
	actions []resolver.Action
	refused string // the sentence that refuses the last, or empty
}{
	{"a refund up to what was captured", []resolver.Action{refund("LK-100001", 4995, "")}, ""},
	{"a refund of nothing", []resolver.Action{refund("LK-100001", 0, "")}, "a refund of 0.00 is not above 0"},
	{"a refund below nothing", []resolver.Action{refund("LK-100001", -5, "")}, "a refund of -0.05 is not above 0"},
	{"a refund above what was captured", []resolver.Action{refund("LK-100001", 4996, "")}, "a refund of 49.96 is above the 49.95 that is left of what was captured for LK-100001"},
	{"a second refund for the same reason", []resolver.Action{refund("LK-100001", 995, ""), refund("LK-100001", 995, "")}, ""},
	{"refunds that add up to more", []resolver.Action{refund("LK-100001", 4000, ""), refund("LK-100001", 996, "")}, "a refund of 9.96 is above the 9.95 that is left of what was captured for LK-100001"},
	{"an authorisation is no capture", []resolver.Action{refund("LK-100002", 23801, "")}, "a refund of 238.01 is above the 238.00 that is left of what was captured for LK-100002"},
	{"a named payment", []resolver.Action{refund("LK-100002", 11900, "PAY-2B")}, ""},
	{"a named payment twice", []resolver.Action{refund("LK-100002", 5000, "PAY-2B"), refund("LK-100002", 5000, "PAY-2B")}, "PAY-2B is not a captured charge of LK-100002"},
	{"one payment, then the other", []resolver.Action{refund("LK-100002", 11900, "PAY-2B"), refund("LK-100002", 11900, "PAY-2A")}, ""},
	{"an authorisation named", []resolver.Action{refund("LK-100002", 100, "PAY-2C")}, "PAY-2C is not a captured charge of LK-100002"},
	{"another order's payment", []resolver.Action{refund("LK-100002", 100, "PAY-1")}, "PAY-1 is not a captured charge of LK-100002"},
	{"a payment refunded before the day", []resolver.Action{refund("LK-100003", 100, "PAY-3")}, "PAY-3 is not a captured charge of LK-100003"},
	{"what is left after a refund before the day", []resolver.Action{refund("LK-100003", 2000, "")}, ""},
	{"more than is left after a refund before the day", []resolver.Action{refund("LK-100003", 2001, "")}, "a refund of 20.01 is above the 20.00 that is left of what was captured for LK-100003"},
	{"a refund for no order", []resolver.Action{refund("LK-999999", 100, "")}, "there is no order LK-999999"},
	{"a refund with a sku", []resolver.Action{{Tool: resolver.RequestRefund, OrderID: "LK-100001", AmountCents: 100, SKU: "POT"}}, "request_refund was asked for something that is not a request_refund"},

	{"a reshipment", []resolver.Action{reship("LK-100001", "POT", 2)}, ""},
	{"a reshipment of nothing", []resolver.Action{reship("LK-100001", "POT", 0)}, "a reshipment of 0 x POT is not at least 1"},
	{"a reshipment above what was ordered", []resolver.Action{reship("LK-100001", "POT", 3)}, "a reshipment of 3 x POT is above the 2 ordered in LK-100001"},
	{"a reshipment of two boxes' items", []resolver.Action{reship("LK-100003", "POT", 3)}, ""},
	{"two reshipments of all, each judged alone", []resolver.Action{reship("LK-100001", "POT", 1), reship("LK-100001", "POT", 2)}, ""},
	{"the stock goes down", []resolver.Action{reship("LK-100001", "POT", 2), reship("LK-100001", "POT", 2)}, "a reshipment of 2 x POT is above the 1 in stock"},
	{"nothing in stock", []resolver.Action{reship("LK-100002", "LAMP", 1)}, "a reshipment of 1 x LAMP is above the 0 in stock"},
	{"a reshipment of another order's item", []resolver.Action{reship("LK-100001", "LAMP", 1)}, "LAMP is not in LK-100001"},
	{"a reshipment for no order", []resolver.Action{reship("LK-999999", "POT", 1)}, "there is no order LK-999999"},

	{"a label", []resolver.Action{label("LK-100001", "POT", "damaged")}, ""},
	{"a second label", []resolver.Action{label("LK-100001", "POT", "damaged"), label("LK-100001", "POT", "damaged")}, ""},
	{"a label beside one from before the day", []resolver.Action{label("LK-100003", "POT", "change_of_mind")}, ""},
	{"a label before delivery", []resolver.Action{label("LK-100002", "LAMP", "damaged")}, "LK-100002 is not delivered"},
	{"a label for another order's item", []resolver.Action{label("LK-100001", "LAMP", "damaged")}, "LAMP is not in LK-100001"},
	{"a label for no reason", []resolver.Action{label("LK-100001", "POT", "")}, `"" is no reason for a return label`},
	{"a label for no order", []resolver.Action{label("LK-999999", "POT", "damaged")}, "there is no order LK-999999"},
}

func TestRules(t *testing.T) {
	for _, kind := range kinds {
		for _, c := range rules {
			t.Run(kind.name+"/"+c.name, func(t *testing.T) {
				w := kind.open(t, provider.Larkfield())
				s := w.services(caller("T-1"))
				accepted := len(c.actions)
				if c.refused != "" {
					accepted--
				}
				for i, a := range c.actions {
					change, err := send(ctx, s, fmt.Sprint("op-", i), a)
					if i < accepted {
						checkAccepted(t, a, change, err)
						continue
					}
					var refused *resolver.RefusedError
					if !errors.As(err, &refused) || refused.Message != c.refused || refused.Code == "" {
						t.Errorf("answer %v, want %q", err, c.refused)
					}
				}
				if got := len(w.changes()); got != accepted {
					t.Errorf("%d changes, want %d", got, accepted)
				}
			})
		}
	}
}

func checkAccepted(t *testing.T, a resolver.Action, change resolver.Change, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s refused: %v", a.Text(), err)
	}
	if change.Action != a || change.TicketID != "T-1" || change.Repeated {
		t.Errorf("answer %+v to %+v", change, a)
	}
}
