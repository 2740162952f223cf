// Package seam makes one call of somebody else's code past its points. It is what the wrappers share, and
// imports only faults.
package seam

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/faults"
)

// Verbs are the faults, beside kill and pause, that Around honours.
var Verbs = []faults.Verb{faults.LoseRequest, faults.LoseResponse, faults.Unavailable, faults.Refuse}

// Injector returns the one that a wrapper asks: its own, else the context's, else the process's.
func Injector(own *faults.Injector, ctx context.Context) *faults.Injector {
	if own != nil {
		return own
	}
	return faults.Armed(ctx)
}

// Around makes a call past its points before and after, unless a fault keeps it back, and returns the
// fault that struck, if one did. A call whose answer was lost doesn't pass after: it was never seen.
//
// Errors: faults.ErrCrashed, the call not made; those of the faults, with the point; else the call's own.
//
// It panics on a fault that it can't inject: a plan that asks for one would otherwise seem survived.
func Around(in *faults.Injector, site faults.Site, do func() error) (struck faults.Verb, err error) {
	call, err := in.Enter(site)
	if err != nil {
		return "", err
	}
	call.At(faults.Before)
	event, ok := call.Fault()
	if !ok {
		err := do()
		call.At(faults.After)
		return "", err
	}
	switch event.Verb {
	case faults.LoseRequest:
		err = faults.ErrNoAnswer
	case faults.LoseResponse:
		_ = do() // its answer, good or bad, is what gets lost
		err = faults.ErrNoAnswer
	case faults.Unavailable:
		err = faults.ErrUnavailable
	case faults.Refuse:
		err = faults.ErrRefused
	default:
		panic(fmt.Sprintf("plan: %s can't be injected by a wrapper of this seam, which knows %v", event, Verbs))
	}
	return event.Verb, &faultError{call.Point(faults.During), err}
}

// faultError is the error of a fault with its point. It is a time-out by itself: net/url doesn't unwrap.
type faultError struct {
	at  faults.Point
	err error
}

func (e *faultError) Error() string { return fmt.Sprintf("%s: %v", e.at, e.err) }
func (e *faultError) Unwrap() error { return e.err }
func (e *faultError) Timeout() bool { return e.err == faults.ErrNoAnswer }
