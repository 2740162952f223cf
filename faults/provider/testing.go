package provider

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// TB is what New needs of a test: *testing.T and *testing.B have it. The package itself does not import
// testing, since programs link it, too.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Server is a Double that listens on the loopback interface, as long as a test lasts.
//
// Concurrency: safe.
type Server struct {
	*Double
	// URL is its address, without a slash at its end.
	URL string

	mu    sync.Mutex
	now   time.Time
	knobs []Knobs
	holds []held
}

// held is a write that is to wait.
type held struct{ taken, release chan struct{} }

// New starts a payment provider that treats repeats as a profile says, and ends it with the test. Point the
// program's client at URL and judge by Ledger and Received.
//
// Its clock stands still until Advance moves it, so keys expire when the test says so.
func New(t TB, p Profile) *Server {
	t.Helper()
	s := &Server{now: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	s.Double = NewDouble(p, s.clock)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("provider: %v", err)
	}
	s.URL = "http://" + listener.Addr().String()
	ctx, end := context.WithCancel(context.Background())
	server := &http.Server{Handler: s.Handler(HandlerOptions{Knobs: s.next, Hold: s.hold(ctx)}), ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		end()
		_ = server.Close()
		<-served
	})
	return s
}

func (s *Server) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Advance moves the provider's clock on.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// Next says what goes wrong with the writes that come next, one after the other: Knobs{} is a write with
// which nothing does.
func (s *Server) Next(knobs ...Knobs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.knobs = append(s.knobs, knobs...)
}

func (s *Server) next(*http.Request, string) Knobs {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.knobs) == 0 {
		return Knobs{}
	}
	k := s.knobs[0]
	s.knobs = s.knobs[1:]
	return k
}

// Hold keeps the next write under way until release is called, at most once: its key is in flight. taken
// is closed once the write has come.
func (s *Server) Hold() (taken <-chan struct{}, release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := held{make(chan struct{}), make(chan struct{})}
	s.holds = append(s.holds, h)
	return h.taken, func() { close(h.release) }
}

func (s *Server) hold(ctx context.Context) func(*http.Request, string) func() {
	return func(*http.Request, string) func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.holds) == 0 {
			return nil
		}
		h := s.holds[0]
		s.holds = s.holds[1:]
		return func() {
			close(h.taken)
			select {
			case <-h.release:
			case <-ctx.Done():
			}
		}
	}
}
