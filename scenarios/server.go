package scenarios

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// server serves the worlds outside of all incarnations under way, each below a path of its own.
type server struct {
	http     *http.Server
	address  string
	mu       sync.Mutex
	handlers map[string]*served
	next     int
}

// served is one incarnation's handler with the requests it still works on.
type served struct {
	handler http.Handler
	busy    sync.WaitGroup
}

func listen() (*server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("loopback address for the services: %w", err)
	}
	s := &server{address: "http://" + l.Addr().String(), handlers: map[string]*served{}}
	// A client that is killed leaves broken connections: that is the point, and nothing to log.
	s.http = &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = s.http.Serve(l) }()
	return s, nil
}

func (s *server) close() error { return s.http.Shutdown(context.Background()) }

// serve returns the address of a handler, and a function that takes it down once its requests are done.
// The function may be called more than once.
func (s *server) serve(h http.Handler) (address string, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	name := strconv.Itoa(s.next)
	one := &served{handler: http.StripPrefix("/"+name, h)}
	s.handlers[name] = one
	return s.address + "/" + name, func() {
		s.mu.Lock()
		delete(s.handlers, name)
		s.mu.Unlock()
		one.busy.Wait()
	}
}

// ServeHTTP finds the incarnation by the first part of the path. A request of one that is over, sent just
// before its kill and read after it, is answered by nobody.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	one := s.handlers[name]
	if one != nil {
		one.busy.Add(1)
	}
	s.mu.Unlock()
	if one == nil {
		panic(http.ErrAbortHandler)
	}
	defer one.busy.Done()
	one.handler.ServeHTTP(w, r)
}
