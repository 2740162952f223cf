package main

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/scenarios"
)

// What a dead program has sent counts, however little of it the provider had taken in when the program died:
// a request still in the socket, or a connection not even accepted.
func TestDoubles_SettleWaitsForWhatWasSent(t *testing.T) {
	profile, err := scenarios.CheckProvider("replay-all")
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		s, err := doubles{profile}.Start(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		const callers = 3
		for i := range callers {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.Env()[0], providerURL+"=http://"))
			if err != nil {
				t.Fatal(err)
			}
			body := fmt.Sprintf(`{"order":"A-%d","amount_cents":5}`, i)
			fmt.Fprintf(conn, "POST /refunds HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			conn.Close()
		}
		if err := s.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		state, _ := s.Snapshot()
		s.Close()
		if n := len(state.(provider.State[provider.Payload]).Ledger); n != callers {
			t.Fatalf("%d of %d refunds are in the ledger once it is settled", n, callers)
		}
	}
}
