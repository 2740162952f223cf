package agent_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

func TestCost(t *testing.T) {
	micros, known := agent.Cost("chat-small", 7155, 192)
	if got := fmt.Sprintf("US$%.5f", float64(micros)/1e6); !known || got != "US$0.00081" {
		t.Errorf("%s, %t", got, known)
	}
	if _, known := agent.Cost("chat-huge", 1, 1); known {
		t.Error("an unlisted model has a price")
	}
	if diff := cmp.Diff([]string{"chat-small", "chat-strong"}, agent.PricedModels()); diff != "" {
		t.Error(diff)
	}
}

// A model without a price is not stopped for its cost, but still for the number of its calls.
func TestLoop_UnknownPrice(t *testing.T) {
	giant := look(ownOrder)
	giant.InputTokens, giant.OutputTokens = 1<<62, -5
	s := resolver.NewState(ticket, "r", agent.VariantAgent, "chat-huge", 1)
	loop := &agent.Loop{Model: script{giant, finish("reply_only")}, Services: (&shop{}).services()}
	if err := loop.Run(t.Context(), ticket, s, nil); err != nil {
		t.Fatal(err)
	}
	if s.Status != resolver.Done || !s.Usage.CostUnknown || s.Usage.CostMicros != 0 || s.Usage.InputTokens != 100_000_100 || s.Usage.OutputTokens != 10 {
		t.Errorf("%s, %+v", s.Status, s.Usage)
	}
}
