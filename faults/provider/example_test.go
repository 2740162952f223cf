package provider_test

import (
	"fmt"
	"net/http"
	"strings"
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

// T stands for the *testing.T that a real test has.
type T struct{ cleanups []func() }

func (*T) Helper()               {}
func (*T) Fatalf(string, ...any) {}
func (t *T) Cleanup(f func())    { t.cleanups = append(t.cleanups, f) }

// A refund whose answer is lost is asked for again. Under one key it is made once.
func ExampleNew() {
	t := &T{}
	s := provider.New(t, provider.ReplayAll())
	defer func() { t.cleanups[0]() }()

	refund := func() {
		body := strings.NewReader(`{"order": "order-1", "amount_cents": 995}`)
		req, err := http.NewRequest(http.MethodPost, s.URL+"/refunds", body)
		if err != nil {
			panic(err)
		}
		req.Header.Set("Idempotency-Key", "refund-order-1")
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		if err != nil {
			fmt.Println("no answer")
			return
		}
		defer resp.Body.Close()
		fmt.Println(resp.Status, "replayed:", resp.Header.Get("Idempotent-Replayed"))
	}
	s.Next(provider.Knobs{Trouble: provider.LoseAfter})
	refund()
	refund()
	fmt.Println("requests:", s.Received(), "refunds:", len(s.Ledger()))
	// Output:
	// no answer
	// 200 OK replayed: true
	// requests: 2 refunds: 1
}
