package explorer_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults/provider"
)

// A test of a refund: the function is one incarnation, and it is told where its folder and its provider are.
func ExampleTest() {
	refundOnce := func(ctx context.Context, dir, providerURL string) error { return nil }

	_ = func(t *testing.T) {
		explorer.Test(t, explorer.Program{
			Provider: provider.ReplayAll(),
			Run: func(ctx context.Context, env *explorer.Env) error {
				return refundOnce(ctx, env.Dir(), env.ProviderURL())
			},
			Want: explorer.ExactlyOnce("order-1"),
		})
	}
}

// A judge gets the ledger and says what is broken.
func ExampleExactlyOnce() {
	want := explorer.ExactlyOnce("order-1", "order-2")
	for _, v := range want([]history.Effect{
		{Subject: "order-1", RecordID: "re_1", OperationID: "request-1"},
		{Subject: "order-1", RecordID: "re_2", OperationID: "request-2"},
	}) {
		fmt.Println(v.Invariant+":", v.Detail)
	}
	// Output:
	// double-write: order-1 has 2 effects: re_1 for request-1, re_2 for request-2
	// lost-write: order-2 has no effect, and the program ended as if it had
}

// The lines that the tests of a package added to the file are summed up: a point counts as killed if any of
// them killed there.
func ExampleReadCoverage() {
	lines := `{"killed":["sql.commit/after#1"],"never":["http.get/before#1"]}
{"killed":["http.post/before#1"],"never":["sql.commit/after#1"]}`
	c, err := explorer.ReadCoverage(strings.NewReader(lines))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	fmt.Println(c)
	// Output: killed at 2 of 3 points, not at http.get/before#1
}
