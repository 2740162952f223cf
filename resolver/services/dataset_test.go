package services_test

import (
	"testing"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
)

// The expected end of every ticket must be one that the services allow: each ticket alone, on a fresh
// world.
func TestDataset_ExpectedActionsAreAccepted(t *testing.T) {
	m := services.NewMemory(services.Config{Now: newClock().Now})
	actions := 0
	for _, task := range larkfield.Tasks() {
		m.Reset()
		s := m.Services(services.Caller{TicketID: task.ID})
		for _, a := range task.Expected.Actions {
			if _, err := send(ctx, s, resolver.OperationID(task.ID, a), a); err != nil {
				t.Errorf("%s: %s: %v", task.ID, a.Text(), err)
			}
			actions++
		}
	}
	if actions != 33 {
		t.Errorf("%d expected actions, the course has 33", actions)
	}
}

func TestDataset_TicketFaultsAreValid(t *testing.T) {
	n := 0
	for _, task := range larkfield.Tasks() {
		for _, f := range services.TicketFaults(task.Faults) {
			n++
			if err := f.Validate(); err != nil {
				t.Errorf("%s: %v", task.ID, err)
			}
		}
	}
	if n != 8 {
		t.Errorf("%d tickets with faults, the course has 8", n)
	}
}

func TestDataset_PolicySearch(t *testing.T) {
	s := services.NewMemory(services.Config{Now: newClock().Now}).Services(services.Caller{})
	for query, want := range map[string]string{
		"late order shipping fee refund": "W2",
		"charged twice double charge":    "W7",
		"warranty":                       "WARR",
	} {
		found, err := s.Policy.SearchPolicy(ctx, query)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 || found[0].ID != want {
			t.Errorf("%q: %v, want %s first", query, idsOf(found), want)
		}
	}
}
