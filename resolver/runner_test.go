package resolver_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/strategy"
)

// loop is a loop of so many steps that then ends in a status.
type loop struct {
	steps int
	end   resolver.Status
	asked []int // steps asked for, over all lives
	dies  int   // the step after whose save the process ends
}

var errKilled = errors.New("killed")

func (l *loop) Run(ctx context.Context, _ resolver.Ticket, s *resolver.TaskState, onStep func(context.Context, *resolver.TaskState) error) error {
	for s.Step < l.steps {
		l.asked = append(l.asked, s.Step+1)
		s.Step++
		s.Usage.ModelCalls++
		if s.Step == l.steps && l.end != resolver.Stopped {
			if err := s.MoveTo(l.end); err != nil {
				return err
			}
		}
		if err := onStep(ctx, s); err != nil {
			return err
		}
		if s.Step == l.dies {
			l.dies = 0
			return errKilled
		}
	}
	if l.end == resolver.Stopped {
		return s.MoveTo(resolver.Stopped) // a limit has no step of its own
	}
	return nil
}

// start returns a bench whose run is not there yet, and its runner.
func start(t *testing.T, l *loop) (*bench, *resolver.Runner, *resolver.TaskState, resolver.Ticket) {
	t.Helper()
	b := newBench(t, provider.Larkfield(), "T-90104", feeRefund)
	proposed := b.load()
	t1 := resolver.Ticket{ID: "T-90104", CustomerID: proposed.CustomerID}
	b.run = resolver.RunID(t1.ID, "agent", "chat-small", 2)
	s := resolver.NewState(t1, b.run, "agent", "chat-small", 1)
	s.Evidence, s.Proposal = proposed.Evidence, proposed.Proposal
	return b, b.runner(l), s, t1
}

func (b *bench) runner(l *loop) *resolver.Runner {
	return &resolver.Runner{Executor: *b.executor(), Loop: l, Holder: resolver.Holder{Host: "here", PID: 1, Started: "1"},
		Tickets: func(id string) (resolver.Ticket, error) { return resolver.Ticket{ID: id}, nil }}
}

// A run saves after every step; what a resumed one does depends on the status alone.
func TestRunner_StartAndResume(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    resolver.Status
		dies   int
		status resolver.Status // after Start
		asked  []int           // after Resume
		final  resolver.Status
	}{
		{"a proposal waits", resolver.WaitingApproval, 0, resolver.WaitingApproval, []int{1, 2, 3}, resolver.WaitingApproval},
		{"a reply is done", resolver.Done, 0, resolver.Done, []int{1, 2, 3}, resolver.Done},
		{"handed over by the model", resolver.HandedToPerson, 0, resolver.HandedToPerson, []int{1, 2, 3}, resolver.HandedToPerson},
		{"stopped by a limit", resolver.Stopped, 0, resolver.Stopped, []int{1, 2, 3}, resolver.Stopped},
		{"killed after step 1", resolver.WaitingApproval, 1, resolver.Running, []int{1, 2, 3}, resolver.WaitingApproval},
		{"killed after step 2", resolver.Stopped, 2, resolver.Running, []int{1, 2, 3}, resolver.Stopped},
		{"killed after the last step", resolver.WaitingApproval, 3, resolver.WaitingApproval, []int{1, 2, 3}, resolver.WaitingApproval},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &loop{steps: 3, end: c.end, dies: c.dies}
			b, r, s, ticket := start(t, l)
			if err := r.Start(ctx, ticket, s); err != nil && !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			same(t, "saved status", b.load().Status, c.status)
			back, err := r.Resume(ctx, b.run)
			must(t, err)
			same(t, "asked", l.asked, c.asked)
			same(t, "model calls", back.Usage.ModelCalls, 3)
			same(t, "status", b.load().Status, c.final)
			trail, err := b.store.Trail(ctx, b.run)
			must(t, err)
			if len(trail) != 1 || trail[0].What != string(c.final) {
				t.Errorf("trail: %+v", trail)
			}
		})
	}
}

func TestRunner_NeverReplacesASavedRun(t *testing.T) {
	_, r, s, ticket := start(t, &loop{steps: 1, end: resolver.Done})
	must(t, r.Start(ctx, ticket, s))
	isErr(t, "again", r.Start(ctx, ticket, resolver.NewState(ticket, s.RunID, "agent", "chat-small", 1)), resolver.ErrRunExists)
}

func TestRunner_ApproveRejectResume(t *testing.T) {
	b, r, s, ticket := start(t, &loop{steps: 1, end: resolver.WaitingApproval})
	must(t, r.Start(ctx, ticket, s))
	_, err := r.Approve(ctx, b.run, "nobody", "", "")
	isErr(t, "an unknown role", err, resolver.ErrRoleTooLow)
	same(t, "status", b.load().Status, resolver.WaitingApproval)
	got, err := r.Approve(ctx, b.run, resolver.RoleAgent, "Amira", "")
	must(t, err)
	same(t, "status", got.Status, resolver.Done)
	same(t, "saved", b.load(), got)
	_, err = r.Approve(ctx, b.run, resolver.RoleAgent, "Amira", "")
	isErr(t, "again", err, resolver.ErrNotWaiting)
	_, err = r.Reject(ctx, b.run, resolver.RoleAgent, "Amira", "")
	isErr(t, "then no", err, resolver.ErrNotWaiting)
	got, err = r.Resume(ctx, b.run)
	must(t, err)
	same(t, "nothing to resume", got.Status, resolver.Done)
	same(t, "changes", len(b.changes()), 1)
	var whats []string
	trail, err := b.store.Trail(ctx, b.run)
	must(t, err)
	for _, e := range trail {
		whats = append(whats, e.What+" "+e.OperationID)
	}
	same(t, "trail", whats, []string{"waiting_approval ", "approved ", "attempt " + feeID, "done " + feeID, "done "})
	must(t, b.store.TrailWhole(ctx))
	_, err = r.Resume(ctx, "r-0")
	isErr(t, "an unknown run", err, resolver.ErrUnknownRun)
	_, err = r.Approve(ctx, "r-0", resolver.RoleAgent, "", "")
	isErr(t, "approve an unknown run", err, resolver.ErrUnknownRun)
}

func TestRunner_Reject(t *testing.T) {
	b, r, s, ticket := start(t, &loop{steps: 1, end: resolver.WaitingApproval})
	must(t, r.Start(ctx, ticket, s))
	got, err := r.Reject(ctx, b.run, resolver.RoleAgent, "Amira", "no")
	must(t, err)
	same(t, "status", got.Status, resolver.HandedToPerson)
	same(t, "changes", len(b.changes()), 0)
}

// Approving consumes the approval once, however many processes resume.
func TestRunner_ManyResumers(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund)
	b.interrupted(resolver.InterruptAfterWrite)
	for range 3 {
		s, err := b.runner(nil).Resume(ctx, b.run)
		must(t, err)
		same(t, "status", s.Status, resolver.Done)
	}
	same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
}

// A live process's lease keeps everybody else out, and says until when; it is given back also after an error.
func TestRunner_Leases(t *testing.T) {
	b := lesson(t, "T-90104", feeRefund)
	lease, err := b.store.Acquire(ctx, b.run, resolver.Holder{Host: "there", PID: 5, Started: "1"}, time.Minute)
	must(t, err)
	_, err = b.runner(nil).Resume(ctx, b.run)
	var held *resolver.LeaseHeldError
	if !errors.As(err, &held) || !held.Until.Equal(today.Add(time.Minute)) || held.Holder.PID != 5 {
		t.Fatalf("got %v", err)
	}
	same(t, "calls", b.script.calls, 0)
	must(t, b.store.Release(ctx, lease))
	b.x.Interrupt = resolver.InterruptBeforeWrite
	var stop *resolver.InterruptedError
	if _, err := b.runner(nil).Resume(ctx, b.run); !errors.As(err, &stop) {
		t.Fatal(err)
	}
	same(t, "who stopped", stop.RunID, b.run)
	b.x.Interrupt = ""
	_, err = b.runner(nil).Resume(ctx, b.run)
	must(t, err)
}

// Drive goes on from wherever the run stands; the strategy that keeps no checkpoint begins again.
func TestRunner_Drive(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy resolver.Strategy
		runs     int
		asked    []int
	}{{"goes on", strategy.OperationID(), 1, []int{1, 2, 3}}, {"begins again", strategy.Restart(), 2, []int{1, 2, 1, 2, 3}}} {
		t.Run(c.name, func(t *testing.T) {
			l := &loop{steps: 3, end: resolver.HandedToPerson, dies: 2}
			b := newBench(t, provider.Larkfield(), "T-90104", feeRefund)
			b.x.Strategy = c.strategy
			ticket := resolver.Ticket{ID: "T-2", CustomerID: "C-1"}
			r := b.runner(l)
			if _, err := r.Drive(ctx, ticket, "agent", "m", 1, resolver.ApproveByRole); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			b.dead[1] = true
			r.Holder.PID = 2
			s, err := r.Drive(ctx, ticket, "agent", "m", 1, resolver.ApproveByRole)
			must(t, err)
			same(t, "status", s.Status, resolver.HandedToPerson)
			same(t, "asked", l.asked, c.asked)
			list, err := b.store.List(ctx)
			must(t, err)
			same(t, "runs of the ticket", len(list)-1, c.runs)
			same(t, "repeat", s.Repeat >= c.runs, true)
		})
	}
}

// Driven from a waiting run, the rule approves it and it is carried out.
func TestRunner_DriveApproves(t *testing.T) {
	b := newBench(t, provider.Larkfield(), "T-65273", namedRefund)
	r := b.runner(nil)
	ticket := resolver.Ticket{ID: "T-65273", CustomerID: b.load().CustomerID}
	s, err := r.Drive(ctx, ticket, "agent", "chat-small", 1, resolver.ApproveByRole)
	must(t, err)
	same(t, "role", s.Approval.Role, resolver.RoleTeamLead)
	same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
}
