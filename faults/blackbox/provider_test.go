package blackbox_test

import (
	"context"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// payments is a provider that takes every request as a new payment, or, with once, each name once.
type payments struct{ once bool }

type paymentService struct {
	url    string
	server *http.Server
	once   bool

	mu     sync.Mutex
	closed *sync.Cond
	open   int // connections
	ledger []string
}

func (p payments) Start(_ context.Context, state any) (blackbox.Service, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return newPaymentService(l, p.once, state), nil
}

func newPaymentService(l net.Listener, once bool, state any) *paymentService {
	s := &paymentService{url: "http://" + l.Addr().String(), once: once}
	s.closed = sync.NewCond(&s.mu)
	if state != nil {
		s.ledger = slices.Clone(state.([]string))
	}
	s.server = &http.Server{Handler: s, ConnState: s.connState}
	go func() { _ = s.server.Serve(l) }()
	return s
}

func (s *paymentService) connState(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.open++
	case http.StateClosed:
		s.open--
		s.closed.Broadcast()
	}
}

func (s *paymentService) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.TrimPrefix(r.URL.Path, "/")
	if r.Method == http.MethodPost && (!s.once || !slices.Contains(s.ledger, name)) {
		s.ledger = append(s.ledger, name)
	}
}

func (s *paymentService) Env() []string { return []string{"PAYTWICE_PROVIDER_URL=" + s.url} }

// Settle waits until the server is done with what a dead program sent. Connections are accepted in order,
// so once one of our own is served all of the program's are known; they close when they are read out.
func (s *paymentService) Settle(context.Context) error {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(s.url)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.open > 0 {
		s.closed.Wait()
	}
	return nil
}

func (s *paymentService) Snapshot() (any, string) {
	l := s.Ledger()
	return l, strings.Join(l, "\n")
}

func (s *paymentService) Changed() bool { return len(s.Ledger()) > 0 }

func (s *paymentService) Ledger() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ledger)
}

func (s *paymentService) Close() error { return s.server.Close() }

// poster is the configuration of the program that pays twice unless something prevents it.
func poster(t *testing.T, provider payments, args ...string) blackbox.Config {
	cfg := target(t)
	cfg.Command = append([]string{program(t, "poster")}, args...)
	cfg.Provider = provider
	return cfg
}

func TestSweep_Provider(t *testing.T) {
	forTheGate(t)
	for _, c := range []struct {
		name     string
		provider payments
		args     []string
		want     map[string]bool
	}{
		{"a provider that takes all", payments{}, nil, map[string]bool{blackbox.DoubleWrite: true}},
		{"a provider that knows the name", payments{once: true}, nil, map[string]bool{}},
		{"a program that notes first", payments{}, []string{"once"}, map[string]bool{blackbox.LostWrite: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := poster(t, c.provider, c.args...)
			cfg.Acked, cfg.Crashes = regexp.MustCompile(`^paid (.*)`), 2
			r := sweep(t, cfg)
			got := map[string]bool{}
			for _, v := range r.Violations {
				got[v.Invariant] = true
			}
			if !maps.Equal(got, c.want) || r.Kills.Landed != r.Kills.Cases {
				t.Errorf("%v, not %v: %s", got, c.want, r.Kills)
			}
			if len(r.Violations) > 0 {
				again, err := blackbox.Replay(context.Background(), cfg, r.Violations[0].Plan, blackbox.ReplayOptions{})
				if err != nil || len(again.Violations) == 0 || len(again.Ledger) == 2 {
					t.Errorf("replay: %+v, %v", again, err)
				}
			}
		})
	}
}

// A note that a power cut takes away makes a program that is safe against kills pay twice.
func TestSweep_ProviderAndPowerLoss(t *testing.T) {
	cfg := poster(t, payments{}, "once")
	cfg.PowerLoss = true
	r := sweep(t, cfg)
	if r.Kills.Violations[blackbox.DoubleWrite] > 0 || r.PowerLoss.Violations[blackbox.DoubleWrite] == 0 {
		t.Errorf("kills: %s; power loss: %s", r.Kills, r.PowerLoss)
	}
	for _, v := range r.Violations {
		if v.PowerLoss && v.Invariant == blackbox.DoubleWrite {
			again, err := blackbox.Replay(context.Background(), cfg, v.Plan, blackbox.ReplayOptions{})
			if err != nil || len(again.Violations) == 0 || again.Violations[0].Invariant != v.Invariant {
				t.Errorf("replay of %s: %+v, %v", v.Plan, again, err)
			}
			return
		}
	}
}
