// Command paytwice finds every moment at which a program, killed and started again, makes a change twice
// or loses it.
package main

import (
	"os"

	"github.com/paytwice/paytwice/scenarios/catalog"
)

func main() {
	// A process that was started as a child lives one incarnation and ends; it must not get further.
	catalog.ChildMain()
	ctx := interruptible(os.Stderr)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
