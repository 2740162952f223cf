package catalog

import (
	"context"
	"fmt"
	"os"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
)

// ChildMain runs one incarnation if this process was started as a child, and does not return then. Call
// it first thing in main.
func ChildMain() {
	if os.Getenv(child.Env) == "" {
		return
	}
	seat, err := child.Attach()
	if err != nil {
		fmt.Fprintln(os.Stderr, "paytwice:", err)
		os.Exit(3)
	}
	if run, ok := task(seat.Order.Task); ok {
		end, err := run(context.Background(), seat)
		seat.End(end, err)
		os.Exit(0)
	}
	seat.End(history.Failed, fmt.Errorf("unknown task %q", seat.Order.Task))
	os.Exit(3)
}
