package main

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

// errReachable is an address that other machines may reach.
var errReachable = errors.New("only loopback addresses are served, such as 127.0.0.1:0")

// loopback listens on an address of this machine that nobody else can reach, and on no other.
func loopback(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, cli.WrongUse("--listen %s: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, cli.WrongUse("--listen %s: %w", address, errReachable)
	}
	return listen(address)
}

func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(address)
		return nil, cli.WrongUse("--listen %s: %w; --listen %s takes a free port", address, err, net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, cli.WrongUse("--listen %s: %w", address, err)
	}
	return l, nil
}

// serve serves until the context ends, which is how it is stopped and no error.
func serve(ctx context.Context, l net.Listener, server *http.Server) error {
	server.ErrorLog = log.New(io.Discard, "", 0)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(limited)
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped // an answer under way is still given
	return nil
}
