package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/faults/blackbox"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/scenarios"
)

// providerURL is the environment variable that tells a program where its provider is.
const providerURL = "PAYTWICE_PROVIDER_URL"

type providerFlags struct {
	profile, listen, ledger string
}

func (p *program) provider() *cobra.Command {
	o := &providerFlags{}
	c := &cobra.Command{
		Use:   "provider --profile P [flags]",
		Short: "The payment provider by itself, for programs in any language",
		Long: "Serves charges, refunds and look-ups as a profile treats repeats, in plain JSON and in Stripe's\n" +
			"form for refunds, on the loopback interface. It prints its address and runs until it is stopped.",
		Example: "  paytwice provider --profile replay-all --listen 127.0.0.1:8091 --ledger ledger.jsonl",
		Args:    cli.NoArguments,
		RunE:    func(c *cobra.Command, _ []string) error { return p.runProvider(c.Context(), o) },
	}
	c.Flags().StringVar(&o.profile, "profile", "", "how it treats repeats; profiles lists them")
	c.Flags().StringVar(&o.listen, "listen", "127.0.0.1:0", "loopback address to serve on")
	c.Flags().StringVar(&o.ledger, "ledger", "", "a file that gets a line of JSON for each change; it must not exist yet")
	return c
}

func (p *program) runProvider(ctx context.Context, o *providerFlags) error {
	if o.profile == "" {
		return cli.WrongUse("provider needs --profile, such as --profile replay-all; profiles lists them")
	}
	profile, err := scenarios.CheckProvider(o.profile)
	if err != nil {
		return err
	}
	l, err := loopback(o.listen)
	if err != nil {
		return err
	}
	double := provider.NewDouble(profile, time.Now)
	handler := double.Handler(provider.HandlerOptions{})
	if o.ledger != "" {
		file, err := os.OpenFile(o.ledger, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			l.Close()
			return ledgerError(o.ledger, err)
		}
		defer file.Close()
		handler = (&ledgerFile{double: double, out: json.NewEncoder(file), inner: handler})
	}
	p.out.Printf("http://%s\n", l.Addr())
	return serve(ctx, l, &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second})
}

func ledgerError(name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return cli.WrongUse("--ledger %s: %w; it would hold the changes of two runs, so name another", name, withoutPath(err))
	}
	return cli.WrongUse("--ledger %s: %w", name, withoutPath(err))
}

// ledgerFile writes each change to a file before the answer goes out.
type ledgerFile struct {
	double *provider.Double
	inner  http.Handler

	mu      sync.Mutex
	out     *json.Encoder
	written int
}

func (f *ledgerFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	held := &heldAnswer{ResponseWriter: w, before: f.write}
	f.inner.ServeHTTP(held, r)
}

func (f *ledgerFile) write() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.double.Ledger()[f.written:] {
		if err := f.out.Encode(e); err != nil {
			fmt.Fprintln(os.Stderr, "paytwice: ledger:", err)
		}
		f.written++
	}
}

// heldAnswer calls a function before the first byte of an answer.
type heldAnswer struct {
	http.ResponseWriter
	before func()
	once   sync.Once
}

func (h *heldAnswer) WriteHeader(status int) {
	h.once.Do(h.before)
	h.ResponseWriter.WriteHeader(status)
}

func (h *heldAnswer) Write(b []byte) (int, error) {
	h.once.Do(h.before)
	return h.ResponseWriter.Write(b)
}

// doubles gives each case of exec a provider of its own.
type doubles struct{ profile provider.Profile }

// Start implements blackbox.Provider.
func (d doubles) Start(_ context.Context, state any) (blackbox.Service, error) {
	double := provider.NewDouble(d.profile, time.Now)
	if s, ok := state.(provider.State[provider.Payload]); ok {
		double.Restore(s)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &doubleService{double: double, address: l.Addr().String(), settled: sync.NewCond(&sync.Mutex{})}
	s.server = &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: double.Handler(provider.HandlerOptions{}), ConnState: s.connState}
	go func() { _ = s.server.Serve(l) }()
	return s, nil
}

// doubleService is the provider of one case.
type doubleService struct {
	double  *provider.Double
	server  *http.Server
	address string

	settled *sync.Cond // when open changes
	open    int        // connections
}

func (s *doubleService) connState(_ net.Conn, state http.ConnState) {
	s.settled.L.Lock()
	defer s.settled.L.Unlock()
	switch state {
	case http.StateNew:
		s.open++
	case http.StateClosed, http.StateHijacked:
		s.open--
		s.settled.Broadcast()
	}
}

func (s *doubleService) Env() []string { return []string{providerURL + "=http://" + s.address} }

// settleLongest bounds the wait for a connection that somebody else than the dead program holds open.
const settleLongest = 10 * time.Second

// Settle waits until all that a dead program sent has had its effect. Connections are accepted in order, so
// once one of our own is answered all of the program's are known; each ends when it has been read to its end.
func (s *doubleService) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleLongest)
	defer cancel()
	if err := s.knock(ctx); err != nil {
		return fmt.Errorf("the provider of a case does not answer: %w", err)
	}
	defer context.AfterFunc(ctx, func() {
		s.settled.L.Lock()
		defer s.settled.L.Unlock()
		s.settled.Broadcast()
	})()
	s.settled.L.Lock()
	defer s.settled.L.Unlock()
	for s.open > 0 {
		if ctx.Err() != nil {
			return fmt.Errorf("%d connection(s) to the provider stay open after the program has ended: another process holds them: %w", s.open, ctx.Err())
		}
		s.settled.Wait()
	}
	return nil
}

// knock makes a request that changes nothing.
func (s *doubleService) knock(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodOptions, "http://"+s.address, nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Snapshot leaves the times out of the key: when a change was made decides nothing here.
func (s *doubleService) Snapshot() (any, string) {
	state := s.double.Snapshot()
	key := ""
	for _, e := range state.Ledger {
		key += fmt.Sprintf("%s %+v stands %t\n", e.Operation, e.Payload, e.ReversedAt.IsZero())
	}
	for _, k := range state.Keys {
		key += fmt.Sprintf("key %s %+v %d\n", k.Key, k.Payload, k.Answer.Status)
	}
	return state, key
}

// Ledger names effects by what they are, not by the request that made them: the same change under another
// name is the same change made twice.
func (s *doubleService) Ledger() []string {
	var out []string
	for _, e := range s.double.Ledger() {
		if e.ReversedAt.IsZero() {
			out = append(out, fmt.Sprintf("%s %s %d", e.Payload.Kind, e.Payload.Order, e.Payload.AmountCents))
		}
	}
	return out
}

// Changed counts those taken back, too.
func (s *doubleService) Changed() bool { return len(s.double.Ledger()) > 0 }

func (s *doubleService) Close() error { return s.server.Close() }
