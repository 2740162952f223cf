package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/paytwice/paytwice/explorer/child"
)

// interruptible returns a context that ends with the first signal to stop: whatever runs then says how far it
// came. The second signal ends the process at once, its children with it, and leaves no folder.
func interruptible(errOut io.Writer) context.Context {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-signals
		stop()
		<-signals
		child.EndAll()
		halfWritten.Range(func(name, _ any) bool { os.Remove(name.(string)); return true })
		fmt.Fprintln(errOut, "paytwice: interrupted twice: ended without a result")
		os.Exit(exitUndecided)
	}()
	return ctx
}
