package blackbox_test

import (
	"context"
	"net"
	"net/http"
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
	busy   sync.WaitGroup
	ledger []string
}

func (p payments) Start(_ context.Context, state any) (blackbox.Service, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &paymentService{url: "http://" + l.Addr().String(), once: p.once}
	if state != nil {
		s.ledger = slices.Clone(state.([]string))
	}
	s.server = &http.Server{Handler: s}
	go func() { _ = s.server.Serve(l) }()
	return s, nil
}

// serve is a service on a listener, for programs that are told its address.
func serve(t *testing.T, l net.Listener) *paymentService {
	s := &paymentService{}
	s.server = &http.Server{Handler: s}
	go func() { _ = s.server.Serve(l) }()
	t.Cleanup(func() { _ = s.server.Close() })
	return s
}

func (s *paymentService) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name := strings.TrimPrefix(r.URL.Path, "/"); !s.once || !slices.Contains(s.ledger, name) {
		s.ledger = append(s.ledger, name)
	}
}

func (s *paymentService) Env() []string { return []string{"PAYTWICE_PROVIDER_URL=" + s.url} }

// Settle waits until the server has read what a killed program sent: its connections are closed then.
func (s *paymentService) Settle(ctx context.Context) error { return s.server.Shutdown(ctx) }

func (s *paymentService) Snapshot() (any, string) {
	l := s.Ledger()
	return l, strings.Join(l, "\n")
}

func (s *paymentService) Ledger() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ledger)
}

func (s *paymentService) Close() error { return s.server.Close() }
