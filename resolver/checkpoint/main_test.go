package checkpoint_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// TestMain lets the test binary be started again as one of the processes that race for a lease.
func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(child(role))
	}
	os.Exit(m.Run())
}

// handClock moves only when a test moves it.
type handClock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *handClock {
	return &handClock{t: time.Date(2026, 3, 2, 9, 0, 0, 500, time.FixedZone("", -5*3600))}
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *handClock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
	return ctx.Err()
}

func (c *handClock) advance(d time.Duration) { _ = c.Wait(context.Background(), d) }

// wallClock is the time of the machine, or of the bubble that a test runs in.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// holder returns a made-up process; living says which of them run.
func holder(pid int) resolver.Holder {
	return resolver.Holder{Host: "host", PID: pid, Started: "1"}
}

type living struct {
	mu   sync.Mutex
	dead map[int]bool
}

func (l *living) alive(h resolver.Holder) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.dead[h.PID]
}

func (l *living) kill(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead == nil {
		l.dead = map[int]bool{}
	}
	l.dead[pid] = true
}

// harness is a store with the clock and the processes that it sees.
type harness struct {
	checkpoint.Store
	clock  *handClock
	living *living
}

func (h harness) options() checkpoint.Options {
	return checkpoint.Options{Clock: h.clock, Alive: h.living.alive}
}

// kinds makes each kind of store; every one made is checked in full when its test ends.
var kinds = map[string]func(t testing.TB, h harness) checkpoint.Store{
	"sqlite": func(t testing.TB, h harness) checkpoint.Store {
		return openAt(t, filepath.Join(t.TempDir(), "runs.sqlite"), h.options())
	},
	"memory": func(_ testing.TB, h harness) checkpoint.Store { return checkpoint.NewMemory(h.options()) },
}

func newHarness(t testing.TB, kind string) harness {
	h := harness{clock: newClock(), living: &living{}}
	h.Store = kinds[kind](t, h)
	t.Cleanup(func() {
		if err := h.Check(context.Background()); err != nil {
			t.Errorf("full check: %v", err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func openAt(t testing.TB, path string, opts checkpoint.Options) *checkpoint.SQLite {
	t.Helper()
	s, err := checkpoint.Open(path, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sample returns a run with something in every field, not saved yet.
func sample(runID string) *resolver.TaskState {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := resolver.NewState(resolver.Ticket{ID: "T-90104", CustomerID: "C-1"}, runID, "agent", "chat-small", 1)
	s.Step = 2
	s.Plan = []string{"look up the order", "propose"}
	s.Evidence = []resolver.Evidence{{Tool: "get_order", Arguments: json.RawMessage(`{"order_id":"LK-100001"}`), OK: true, Result: json.RawMessage(`{"n":1}`)}}
	s.Messages = []resolver.Message{{Role: "assistant", Content: "secret of a customer", ToolCalls: []resolver.ToolCall{{ID: "c1", Function: resolver.ToolFunction{Name: "get_order", Arguments: "{}"}}}}}
	s.Proposal = &resolver.Proposal{Outcome: resolver.Resolve, Rule: "R1", Reason: "late", Reply: "sorry", Actions: []resolver.PlannedAction{
		{Action: resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-100001", AmountCents: 995, ReasonCode: "RFD-LATE"}, Rollback: resolver.RollbackOutOfBand, RollbackText: "a person"},
	}}
	s.Approval = &resolver.Approval{Role: resolver.RoleAgent, Name: "ana", Note: "ok", Fingerprint: "f", At: at}
	s.Operations = []resolver.Operation{{ID: "op", Tool: resolver.RequestRefund, Action: s.Proposal.Actions[0].Action, Status: resolver.OperationPending, Attempts: 1, FirstCallAt: &at, LastCallAt: &at}}
	s.FaultsSeen = []string{"request_refund:timeout"}
	s.Usage = resolver.Usage{ModelCalls: 2, InputTokens: 30, OutputTokens: 4, CostMicros: 5, ModelTime: time.Second}
	s.Log("note", "hello")
	return s
}

// created returns a saved run.
func created(t testing.TB, s resolver.Store, runID string) *resolver.TaskState {
	t.Helper()
	st := sample(runID)
	if err := s.Create(context.Background(), st); err != nil {
		t.Fatal(err)
	}
	return st
}

func acquired(t testing.TB, s resolver.Store, runID string, pid int) resolver.Lease {
	t.Helper()
	l, err := s.Acquire(context.Background(), runID, holder(pid), 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// same fails unless two values are equal.
func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
