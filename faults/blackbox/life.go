package blackbox

import (
	"fmt"
	"regexp"
	"time"

	"github.com/paytwice/paytwice/faults"
)

// lifeSpec says how to run a program once.
type lifeSpec struct {
	args []string
	root string   // the case's folder, absolute, without links: also the working folder
	env  []string // in addition to the harness's own
	acks *regexp.Regexp

	ignore  globs
	tracing bool // stop at durable calls; otherwise only processes are followed
	target  *target
	onCall  func(index int) // before each durable call is let through
	record  *recorder

	timeout time.Duration
	limits  Limits
}

// target is where a life is to be killed, and what must come before.
type target struct {
	call     Call
	position faults.Position
	prefix   []Call       // the recorded calls before it
	threads  []int        // who made the recorded calls
	known    map[site]int // the recorded counts of the whole run
}

func (t *target) point() faults.Point { return t.call.Point(t.position) }

// cause is why a life was ended from outside.
type cause int32

const (
	causeNone cause = iota
	causeKill
	causeLeftBehind // the program itself had ended, others of its processes had not
	causeTimeout
	causeCancel
	causeTooLarge
	causeForeign
	causeDiverged
	causeHidden // the program can't be looked into
	causeBroken // the tracer failed
)

// stopsLife reports whether a life was ended because of what it is, so that what it promised matters no more.
func (c cause) stopsLife() bool { return c == causeTimeout || c == causeCancel || c == causeTooLarge }

// lifeResult is what a run was seen to do.
type lifeResult struct {
	calls      []Call // durable calls let through, in order
	threads    []int  // who made them
	cause      cause
	status     string // how the program ended
	exit       int    // its exit status, -1 if it has none
	landed     bool   // the kill was sent and the wait status shows it
	stdout     Output
	stderr     Output
	acks       []ack
	outside    map[string]int
	mapped     map[string]bool
	timed      map[inode]bool // files whose times were set
	leftBehind int
	reordered  bool
	diverged   Call
	written    int64
}

// failure returns why a run did not end by itself with status 0, nil if it did.
func (r *lifeResult) failure(timeout time.Duration) error {
	switch r.cause {
	case causeTimeout:
		return fmt.Errorf("%w: it %s", ErrNeverEnds, timeoutText(timeout))
	case causeTooLarge:
		return fmt.Errorf("the program wrote %d bytes to files, in %d durable calls: %w", r.written, len(r.calls), ErrTooLarge)
	case causeForeign:
		return ErrForeignCall
	case causeHidden:
		return errHidden
	}
	if r.exit != 0 {
		return fmt.Errorf("%w: it %s%s", ErrFailed, r.status, lastLines(r.stderr))
	}
	return nil
}
