// Command paytwice finds every moment at which a program, killed and started again, makes a change twice
// or loses it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/paytwice/paytwice/scenarios/catalog"
)

func main() {
	// A process that was started as a child lives one incarnation and ends; it must not get further.
	catalog.ChildMain()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
