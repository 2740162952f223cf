package transfer_test

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios/transfer"
)

// The lesson's four scenarios: clean, killed after the change and resumed, A taken to 500 between the
// crash and the resume, and a check that fails.
func Example() {
	for _, text := range []string{
		"run",
		"kill bank.transfer/after#1",
		"kill bank.transfer/before#1; world takes-a-to-500",
		"world credits-fail",
	} {
		plan, err := faults.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		s := transfer.Scenarios()[0]
		world, err := s.Simulate(s.Setting)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := explorer.Replay(context.Background(), world, plan, explorer.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		v, err := transfer.Look(r.End)
		if err != nil {
			fmt.Println(err)
			return
		}
		a, b := v.Books.Accounts["A"].BalanceCents, v.Books.Accounts["B"].BalanceCents
		fmt.Printf("%s\n  A %s, B %s, %s\n", text, resolver.FormatCents(a), resolver.FormatCents(b), v.Record.Status)
		for _, alert := range v.Alerts {
			fmt.Println("  alert:", alert.Text)
		}
	}
	// Output:
	// run
	//   A 1400.00, B 300.00, committed
	// kill bank.transfer/after#1
	//   A 1400.00, B 300.00, committed
	// kill bank.transfer/before#1; world takes-a-to-500
	//   A 500.00, B 200.00, stopped
	//   alert: A holds 500.00, not more than 1000.00
	// world credits-fail
	//   A 1500.00, B 200.00, rolled_back
	//   alert: A was debited 100.00 and B credited 0.00; rolled back
}
