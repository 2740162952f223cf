package agent

import (
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// The reasons for which the loop stops; a run has exactly one.
const (
	StopFinished      = "finished"
	StopMaxSteps      = "max_steps"
	StopTime          = "time"
	StopCost          = "cost"
	StopRepeatedCall  = "repeated_call"
	StopTooManyErrors = "too_many_errors"
	StopNoRecording   = "no_recording"
	StopProviderError = "provider_error"
)

// Limits bounds what one run may use. A zero field takes the default.
//
// Units: CostMicros is in millionths of a dollar. ModelTime is the sum of the recorded latencies, not the
// time that a replay takes.
type Limits struct {
	ModelCalls  int
	ModelTime   time.Duration
	CostMicros  int64
	ErrorsInRow int
}

// DefaultLimits returns the course's limits: 8 model calls, 120 s, US$0.05, 3 errors in a row.
func DefaultLimits() Limits {
	return Limits{ModelCalls: 8, ModelTime: 120 * time.Second, CostMicros: 50_000, ErrorsInRow: 3}
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	if l.ModelCalls <= 0 {
		l.ModelCalls = d.ModelCalls
	}
	if l.ModelTime <= 0 {
		l.ModelTime = d.ModelTime
	}
	if l.CostMicros <= 0 {
		l.CostMicros = d.CostMicros
	}
	if l.ErrorsInRow <= 0 {
		l.ErrorsInRow = d.ErrorsInRow
	}
	return l
}

// reached returns the limit that forbids another model call, or "". What was paid for already is used:
// an answer that goes over a limit still counts, and only the next call is not made.
func (l Limits) reached(u resolver.Usage) string {
	switch {
	case u.ModelCalls >= l.ModelCalls:
		return StopMaxSteps
	case u.ModelTime >= l.ModelTime:
		return StopTime
	case !u.CostUnknown && u.CostMicros >= l.CostMicros:
		return StopCost
	}
	return ""
}

// errorsInRow counts the wrong steps and failed reads at the end of the evidence. It reads the state, not
// a counter of the process, so that a resumed run counts on.
func errorsInRow(evidence []resolver.Evidence) int {
	n := 0
	for n < len(evidence) && !evidence[len(evidence)-1-n].OK {
		n++
	}
	return n
}
