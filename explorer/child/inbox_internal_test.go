//go:build unix

package child

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

// pipeInbox returns an inbox and the end that a child would write to.
func pipeInbox(t *testing.T) (*inbox, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	b, err := newInbox(r)
	if err != nil {
		t.Fatal(err)
	}
	return b, w
}

// When settle returns, every line that was written before it was handled, however far behind the reader is;
// half a line is not waited for.
func TestInbox_Settle(t *testing.T) {
	b, w := pipeInbox(t)
	handled, go1 := 0, make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer b.stop()
		<-go1 // it begins late
		lines := bufio.NewReaderSize(b, 16)
		for {
			line, err := readLine(lines)
			if err != nil {
				return
			}
			handled++
			b.done(len(line))
		}
	}()
	written := 0
	for round := range 200 {
		for i := range round % 7 {
			fmt.Fprintf(w, "line %d of round %d, longer than the reader's buffer\n", i, round)
			written++
		}
		if round == 3 {
			close(go1)
		}
		if round < 3 {
			continue
		}
		b.settle()
		if handled != written {
			t.Fatalf("round %d: %d of %d handled", round, handled, written)
		}
	}
	fmt.Fprint(w, "half a line")
	b.settle()
	w.Close()
	<-over
	b.settle() // with nobody there it does not wait
}

// A reader that is gone keeps nobody waiting.
func TestInbox_Stopped(t *testing.T) {
	b, w := pipeInbox(t)
	fmt.Fprintln(w, "nobody reads this")
	b.stop()
	b.settle()
}
