package transfer_test

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/transfer"
)

// hearEnv makes the test binary the command that hears an alert: it writes what it is told to a file.
const hearEnv = "TRANSFER_TEST_HEAR"

func TestMain(m *testing.M) {
	catalog.ChildMain()
	if path := os.Getenv(hearEnv); path != "" {
		os.Exit(hear(path))
	}
	os.Exit(m.Run())
}

func hear(path string) int {
	body, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		return 1
	}
	return 0
}

func scenario(t *testing.T, name string) scenarios.Scenario {
	t.Helper()
	s, err := catalog.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func simulated(t *testing.T, s scenarios.Scenario) explorer.World {
	t.Helper()
	w, err := s.Simulate(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// worlds returns a scenario's world in each mode that this system has.
func worlds(t *testing.T, s scenarios.Scenario) map[string]explorer.World {
	t.Helper()
	all := map[string]explorer.World{"simulate": simulated(t, s)}
	if !child.Supported {
		return all
	}
	program, err := s.Program(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	killed, err := scenarios.NewKilled(t.Context(), program, scenarios.KillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := killed.Close(); err != nil {
			t.Error(err)
		}
	})
	all["kill"] = killed
	return all
}

func options(t *testing.T, s scenarios.Scenario) explorer.Options {
	t.Helper()
	settings, err := s.Settings(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	return explorer.Options{Settings: settings}
}

func replay(t *testing.T, w explorer.World, s scenarios.Scenario, plan string) (explorer.Replayed, transfer.View) {
	t.Helper()
	p, err := faults.Parse(plan)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explorer.Replay(t.Context(), w, p, options(t, s))
	if err != nil {
		t.Fatal(err)
	}
	v, err := transfer.Look(r.End)
	if err != nil {
		t.Fatal(err)
	}
	return r, v
}

// watched is told of every state that is judged.
type watched struct {
	explorer.World
	see func(explorer.State)
}

func (w watched) Outcome(ctx context.Context, s explorer.State) (*check.Outcome, error) {
	w.see(s)
	return w.World.Outcome(ctx, s)
}
