package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
)

// The provider by itself: it prints its address, treats repeats as its profile says, has each change in its
// ledger before the answer is out, and ends in order.
func TestProvider_ServesAndKeepsALedger(t *testing.T) {
	for _, c := range []struct {
		profile string
		changes int // of two equal requests under one key
	}{{"replay-all", 1}, {"no-key", 2}} {
		t.Run(c.profile, func(t *testing.T) {
			ledger := filepath.Join(t.TempDir(), "ledger.jsonl")
			url, end := serveProvider(t, "provider", "--profile", c.profile, "--ledger", ledger)
			for n := range 2 {
				refund(t, url, "A-1")
				if got, most := len(changesIn(t, ledger)), min(n+1, c.changes); got != most {
					t.Errorf("%d changes in the ledger after request %d, not %d", got, n+1, most)
				}
			}
			if code := end(); code != 0 {
				t.Errorf("exit %d", code)
			}
			for _, e := range changesIn(t, ledger) {
				if e.Payload != (provider.Payload{Kind: provider.Refund, Order: "LK-1", AmountCents: 995}) {
					t.Errorf("%+v", e)
				}
			}
		})
	}
}

// serve runs a command that prints its address and serves until it is stopped, which end does; it returns the
// exit code.
func serveProvider(t *testing.T, args ...string) (url string, end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int, 1)
	go func() {
		code := run(ctx, args, write, &stderr)
		write.Close()
		done <- code
	}()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		cancel()
		t.Fatalf("no address: %v: %s", err, stderr.String())
	}
	return strings.TrimSpace(line), func() int {
		cancel()
		return <-done
	}
}

func refund(t *testing.T, url, key string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/refunds", strings.NewReader(`{"order":"LK-1","amount_cents":995}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("status %s", resp.Status)
	}
}

func changesIn(t *testing.T, path string) []provider.Effect[provider.Payload] {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []provider.Effect[provider.Payload]
	for d := json.NewDecoder(file); ; {
		var e provider.Effect[provider.Payload]
		if err := d.Decode(&e); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
}
