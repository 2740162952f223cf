package provider_test

import (
	"fmt"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
)

// A service whose answers to the key are remembered pays once, however often it is asked.
func Example() {
	var register provider.State[string]
	engine := provider.Engine[string]{Profile: provider.ReplayAll(), Now: func() time.Time { return time.Unix(0, 0) }}
	pay := func(e provider.Effect[string]) (string, error) { return fmt.Sprintf("payment-%d", e.Seq), nil }

	request := provider.Request[string]{Key: "order-1", Tool: "pay", Payload: "9.95"}
	request.Knobs.Trouble = provider.LoseAfter
	lost, _ := engine.Do(&register, request, pay)
	request.Knobs = provider.Knobs{}
	again, _ := engine.Do(&register, request, pay)

	fmt.Println("first answer:", lost.Status)
	fmt.Println("second answer:", again.Status, again.Record, again.Repeated)
	fmt.Println("payments:", len(register.Ledger), "requests:", register.Received[0].Count)
	// Output:
	// first answer: 0
	// second answer: 200 payment-1 true
	// payments: 1 requests: 2
}
