package explorer

import (
	"runtime"
	"slices"
	"strings"
	"time"
)

// envLeft is the environment variable of a child, and of what it starts, that says whose it is: endLeft finds by
// it what is left.
const envLeft = "PAYTWICE_CHILD_OF"

// leftMark is the variable with the folder of the cases, which is there once. The end of the name is marked, so that
// no other folder's name begins with it.
func leftMark(root string) string { return envLeft + "=" + root + "/" }

// idle are the functions, or how their names begin, in which goroutines begin that the standard library keeps
// by design. A goroutine that waits in one of its packages and began elsewhere is somebody's own.
var idle = []string{"net/http.(*persistConn).", "net/http.(*Transport).", "net/http.(*http2ClientConn).", "net/http.(*http2clientConn",
	"net/http/internal/http2.(*ClientConn).", "net/http/internal/http2.(*clientConn", "database/sql.(*DB).connectionOpener",
	"database/sql.(*DB).connectionCleaner", "os/signal.", "runtime."}

// own are, beside the one that runs, the goroutines of a child in which nothing but one test has begun: the main
// one, and the one that watches the parent. Neither ends before the process does, so that their number alone says
// that nobody else is there. To look at each takes a good part of a short life.
var own = []string{"main.main(", "github.com/paytwice/paytwice/explorer.watchParent("}

func alone() bool { return runtime.NumGoroutine() == 1+len(own) }

// present returns the goroutines that are there before the program begins.
func present() map[string]string {
	if alone() {
		return nil
	}
	return strangers()
}

// strangers returns the goroutines that nobody expects, by their number.
func strangers() map[string]string {
	buffer := make([]byte, 1<<20)
	buffer = buffer[:runtime.Stack(buffer, true)]
	out := map[string]string{}
	for i, stack := range strings.Split(string(buffer), "\n\n") {
		if i == 0 {
			continue // this one
		}
		if number, _, ok := strings.Cut(stack, " ["); ok && !begins(beginning(stack), idle) && !begins(beginning(stack), own) {
			out[number] = stack
		}
	}
	return out
}

// begins reports whether a function's name begins as one of them does.
func begins(function string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(function, name) })
}

// beginning returns the function in which a goroutine began: the last one of its stack, but for the runtime's
// own below it, which shows as long as the goroutine has not run.
func beginning(stack string) string {
	calls, _, _ := strings.Cut(stack, "\ncreated by ")
	lines := strings.Split(calls, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if !strings.HasPrefix(lines[i], "\t") && !strings.HasPrefix(lines[i], "runtime.goexit(") {
			return lines[i]
		}
	}
	return ""
}

// leaked describes the first goroutine that was not there before. Those that run are on their way out and get
// up to a quarter of a second to be gone; one that waits for something, with none that could wake it, is not.
func leaked(before map[string]string) string {
	for i := 0; before == nil && i < 10; i++ {
		if alone() {
			return ""
		}
		runtime.Gosched()
	}
	stack, running := fresh(before)
	for i := 0; running && i < 270; i++ {
		if i < 20 {
			runtime.Gosched() // mostly that is enough
		} else {
			time.Sleep(time.Millisecond)
		}
		stack, running = fresh(before)
	}
	return stack
}

// fresh returns a goroutine that was not there before, and whether any of them runs.
func fresh(before map[string]string) (stack string, running bool) {
	for number, s := range strangers() {
		if _, ok := before[number]; !ok {
			_, state, _ := strings.Cut(s, " [")
			stack, running = s, running || slices.ContainsFunc([]string{"run", "syscall", "preempt"}, func(s string) bool { return strings.HasPrefix(state, s) })
		}
	}
	return stack, running
}
