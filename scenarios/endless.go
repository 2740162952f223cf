package scenarios

import "fmt"

// mostDone bounds the calls at seams and the waits on the virtual clock of one simulated life, those of the
// other processes in it included. The largest programs here make a few hundred. It is a number and no time, so
// that it strikes at the same call in every run.
const mostDone = 5000

// endless is the panic that unwinds a life which did more than mostDone.
type endless struct{}

// act counts a call or a wait, and ends the life at the first too many. Whoever recovers there and goes on meets
// it again at the next.
func (l *simLife) act() {
	if l.done++; l.isEndless() {
		panic(endless{})
	}
}

func (l *simLife) isEndless() bool { return l.done > mostDone }

// whyEndless says what became of a life that isEndless.
func whyEndless() string {
	return fmt.Sprintf("a life came to no end: it was ended after %d calls and waits", mostDone)
}
