package planted_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/planted"
)

// held is a store whose runs that have an attempt on record load only once the test is over.
type held struct {
	resolver.Store
	until <-chan struct{}
}

func (s held) Load(ctx context.Context, runID string) (*resolver.TaskState, error) {
	st, err := s.Store.Load(ctx, runID)
	if err == nil && len(st.Operations) > 0 {
		<-s.until
	}
	return st, err
}

// stuckBug is one whose recovery does not come back before the end of the test.
func stuckBug(t *testing.T, name string) planted.Bug {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return planted.Bug{Name: name, Invariant: "double-write", Crashes: 1, Planting: scenarios.Planting{
		Tamper: func(r *resolver.Runner, _ scenarios.Bench) { r.Store = held{r.Store, over} },
	}}
}

// TestAudit_StuckLife: a recovery that never comes back ends the audit, which names the bug and the plan. The bugs
// after it are not waited for.
func TestAudit_StuckLife(t *testing.T) {
	var bugs []planted.Bug
	for range 20 {
		bugs = append(bugs, stuckBug(t, "held"))
	}
	began := time.Now()
	_, err := planted.Audit(t.Context(), planted.AuditOptions{Bugs: bugs, SimulateOnly: true, Workers: 2, Timeout: time.Second})
	var stuck *explorer.StuckError
	if !errors.As(err, &stuck) || stuck.Plan.Faults() != 1 || !strings.HasPrefix(err.Error(), "planted/held: plan ") {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %s: each bug waited for its own time-out", took)
	}
}

// TestAudit_StuckAndInterrupted: a stop ends it, too, long before the time-out.
func TestAudit_StuckAndInterrupted(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	a, err := planted.Audit(ctx, planted.AuditOptions{Bugs: []planted.Bug{stuckBug(t, "held")}, SimulateOnly: true, Timeout: time.Hour})
	if err != nil || !strings.HasPrefix(a.LeftOut, "the audit was interrupted: 1 of 1 ") {
		t.Errorf("%v: %q", err, a.LeftOut)
	}
}
