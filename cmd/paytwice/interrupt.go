package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
)

// sameStop is how soon after a signal to stop another one is still the same: a terminal and a wrapper often
// both send one. Tests that send two make it short.
var sameStop = 500 * time.Millisecond

// interruptible returns a context that ends with the first signal to stop: whatever runs then says how far it
// came. The second signal ends the process at once, its children with it, and leaves no folder.
func interruptible(errOut io.Writer) context.Context {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-signals
		stop()
		for first := time.Now(); ; {
			<-signals
			if time.Since(first) >= sameStop {
				break
			}
		}
		child.EndAll()
		halfWritten.Range(func(name, _ any) bool { os.Remove(name.(string)); return true })
		fmt.Fprintln(errOut, "paytwice: interrupted twice: ended without a result")
		os.Exit(exitUndecided)
	}()
	return ctx
}
