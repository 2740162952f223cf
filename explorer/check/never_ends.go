package check

import "github.com/paytwice/paytwice/explorer/history"

// never-ends: started again often enough without further faults, the program comes to an end.
//
// The harness itself sees that a bound was reached and reports it with NeverEnds; a monitor can't. It is
// listed here so that every invariant has its file and its place in the order.
func newNeverEnds(Settings) Monitor {
	return finalMonitor{judge: func(*Outcome, Settings) []history.Violation { return nil }}
}

// NeverEnds is the violation of a program that a bound had to end.
func NeverEnds(why string) history.Violation {
	return history.Violation{Invariant: "never-ends", Detail: why}
}
