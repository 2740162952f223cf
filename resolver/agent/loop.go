package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/resolver"
)

// ErrWrongRun is returned when the loop is asked to run a state that is not one of its own: another
// ticket's, of an unknown variant, or one whose loop has ended.
var ErrWrongRun = errors.New("not a run of this loop")

// Loop implements resolver.Loop: it asks the model what to do next, carries out reads, and ends with a
// proposal or with one stop reason.
//
// Concurrency: a Loop has no state of its own; it serves any number of runs at once if its model and
// services do.
type Loop struct {
	Model    resolver.Model
	Services resolver.Services
	// Limits bounds each run; the zero value stands for DefaultLimits.
	Limits Limits
}

var _ resolver.Loop = (*Loop)(nil)

// Run goes on from the state's messages until the loop ends. The order within a step is: the model's
// answer, its usage counted, the read, evidence and messages appended, Step raised, onStep. The last step
// also moves the status before onStep, so that one save holds the proposal and the status that goes with it.
// A limit that forbids the next call, and a model without an answer, end the run between two steps: onStep
// is not called again, and the caller saves.
//
// Errors: ErrWrongRun before anything is done; what onStep returns; ctx's error. Beside an error the state
// may be in the middle of a step: go on from the saved one.
func (l *Loop) Run(ctx context.Context, t resolver.Ticket, s *resolver.TaskState, onStep func(context.Context, *resolver.TaskState) error) error {
	if s.Status != resolver.Running || t.ID != s.TicketID || t.CustomerID != s.CustomerID || !knownVariant(s.Variant) {
		return fmt.Errorf("run %s (%s, variant %q) with ticket %s: %w", s.RunID, s.Status, s.Variant, t.ID, ErrWrongRun)
	}
	limits := l.Limits.orDefaults()
	if len(s.Messages) == 0 {
		s.Messages = opening(s.Variant, t)
	}
	for s.Status == resolver.Running {
		if err := ctx.Err(); err != nil {
			return err
		}
		if reason := limits.reached(s.Usage); reason != "" {
			return stop(s, s.Step, reason)
		}
		stepped, err := l.step(ctx, s, limits)
		if err != nil {
			return err
		}
		if !stepped {
			return nil
		}
		if onStep != nil {
			if err := onStep(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// step makes one model call and what it asks for. It reports false when there was no answer.
func (l *Loop) step(ctx context.Context, s *resolver.TaskState, limits Limits) (bool, error) {
	n := s.Step + 1
	answer, err := l.Model.Complete(ctx, request(s))
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, noAnswer(s, n, err)
	}
	count(&s.Usage, s.Model, answer)
	d, refused := decide(s, answer)
	log(s, n, "model", "%s | %d in, %d out | %.3f s", modelText(d, refused), answer.InputTokens, answer.OutputTokens, answer.Latency.Seconds())
	if answer.Note != "" {
		log(s, n, "note", "%s", answer.Note)
	}
	if d.plan != nil {
		s.Plan = d.plan
	}
	answered := appendAnswer(s, n, answer, refused)
	switch {
	case refused != nil:
		refuse(s, n, refused, answered)
		err = stopAfterErrors(s, n, limits)
	case d.proposal != nil:
		err = propose(s, n, d.proposal)
	case repeated(s.Evidence, d):
		log(s, n, "note", "%s was asked before", callText(d))
		err = stop(s, n, StopRepeatedCall)
	default:
		if err = l.look(ctx, s, n, d, answered); err == nil {
			err = stopAfterErrors(s, n, limits)
		}
	}
	if err != nil {
		return false, err
	}
	s.Step = n
	return true, nil
}

// propose ends the loop with the model's resolution.
func propose(s *resolver.TaskState, n int, p *resolver.Proposal) error {
	s.Proposal = p
	s.StopReason = StopFinished
	log(s, n, "proposal", "%s", p.Summary())
	log(s, n, "stop", "%s", StopFinished)
	switch p.Outcome {
	case resolver.Resolve:
		return s.MoveTo(resolver.WaitingApproval)
	case resolver.HandToPerson:
		return s.MoveTo(resolver.HandedToPerson)
	default:
		return s.MoveTo(resolver.Done)
	}
}

func stop(s *resolver.TaskState, n int, reason string) error {
	s.StopReason = reason
	log(s, n, "stop", "%s", reason)
	return s.MoveTo(resolver.Stopped)
}

func stopAfterErrors(s *resolver.TaskState, n int, limits Limits) error {
	if errorsInRow(s.Evidence) < limits.ErrorsInRow {
		return nil
	}
	return stop(s, n, StopTooManyErrors)
}

// noAnswer ends the run because the model had none: with the error's own code where it has one.
func noAnswer(s *resolver.TaskState, n int, err error) error {
	reason := StopProviderError
	var known *resolver.ModelError
	if errors.As(err, &known) && known.Code == StopNoRecording {
		reason = StopNoRecording
	}
	log(s, n, "note", "%s", shorten(err.Error(), 300))
	return stop(s, n, reason)
}

// log appends one line to the trace, at a step that may not be counted yet.
func log(s *resolver.TaskState, step int, kind, format string, args ...any) {
	s.Events = append(s.Events, resolver.Event{Step: step, Kind: kind, Text: CleanLine(fmt.Sprintf(format, args...))})
}
