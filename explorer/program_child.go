package explorer

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// childTask is the environment variable that tells a test binary which test it is the child of.
const childTask = child.Env

// liveAndExit lives one incarnation and ends the process.
func liveAndExit(task string, p Program) {
	seat, err := child.Attach()
	if err != nil {
		fmt.Fprintln(os.Stderr, "paytwice:", err)
		os.Exit(3)
	}
	var env Env
	if err := json.Unmarshal(seat.Order.Config, &env.dir); err != nil {
		seat.End(history.Failed, err)
		os.Exit(3)
	}
	env.providerURL = seat.Order.Address
	seat.ReportPasses(func(e *history.Event) { e.Where = callerLine() })
	faults.Arm(seat.Injector)
	before := strangers()
	if err := p.Run(context.Background(), &env); err != nil {
		seat.End(history.Failed, err)
		os.Exit(0)
	}
	if left := leaked(before); left != "" {
		seat.End(history.Failed, fmt.Errorf("%s%s", leakMark, left))
		os.Exit(0)
	}
	seat.End(history.Done, nil)
	os.Exit(0)
}

// leakMark begins the error of a program that returned and left goroutines behind.
const leakMark = "goroutines left behind: "

// callerLine is the nearest line of the stack that belongs neither to this module's wrappers nor to the
// libraries between them and the program.
func callerLine() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.File != "" && !inBetween(f) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}

// inBetween reports whether a frame is of the harness or the standard library.
func inBetween(f runtime.Frame) bool {
	const module = "github.com/paytwice/paytwice/"
	if strings.HasPrefix(f.Function, module+"faults") || strings.HasPrefix(f.Function, module+"explorer.") && !strings.HasSuffix(f.File, "_test.go") || strings.HasPrefix(f.Function, module+"explorer/child") {
		return true
	}
	// A package of the standard library has no dot in the first part of its path.
	first, _, path := strings.Cut(f.Function, "/")
	if !path {
		first, _, _ = strings.Cut(f.Function, ".")
		return first != "main"
	}
	return !strings.Contains(first, ".")
}

// idle are the goroutines that the standard library keeps by design.
var idle = []string{"net/http.(*persistConn)", "net/http.(*Transport)", "database/sql.(*DB).connectionOpener", "database/sql.(*DB).connectionCleaner",
	"testing.", "runtime.", "os/signal.", "net/http.(*http2", "internal/poll.runtime_pollWait"}

// strangers returns the goroutines that nobody expects, by their number.
func strangers() map[string]string {
	buffer := make([]byte, 1<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	out := map[string]string{}
	for i, stack := range strings.Split(string(buffer), "\n\n") {
		if i == 0 {
			continue // this one
		}
		known := false
		for _, name := range idle {
			known = known || strings.Contains(stack, name)
		}
		if number, _, ok := strings.Cut(stack, " ["); ok && !known {
			out[number] = stack
		}
	}
	return out
}

// leaked describes the first goroutine that was not there before.
func leaked(before map[string]string) string {
	// One that is on its way out gets the chance to be gone.
	for range 100 {
		if now := fresh(before); now == "" {
			return ""
		}
		runtime.Gosched()
	}
	return fresh(before)
}

func fresh(before map[string]string) string {
	for number, stack := range strangers() {
		if _, ok := before[number]; !ok {
			return stack
		}
	}
	return ""
}
