package explorer

import (
	"runtime"
	"strings"
	"time"
)

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

// leaked describes the first goroutine that was not there before. One that is on its way out gets up to a
// quarter of a second to be gone.
func leaked(before map[string]string) string {
	stack := fresh(before)
	for i := 0; stack != "" && i < 250; i++ {
		time.Sleep(time.Millisecond)
		stack = fresh(before)
	}
	return stack
}

func fresh(before map[string]string) string {
	for number, stack := range strangers() {
		if _, ok := before[number]; !ok {
			return stack
		}
	}
	return ""
}
