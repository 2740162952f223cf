package explorer

import (
	"testing"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// At every point the monitors of a kill are those that saw the life up to there and the kill on its last
// event, as a replay shows it to them; those of the life itself never see one.
func TestWatch_KillsAtEveryPoint(t *testing.T) {
	write := func(position string) history.Event {
		return history.Event{Position: position, Answer: history.Refused, Request: &history.Request{Write: true, Intent: "a", Key: "k"}}
	}
	life := []history.Event{{N: 1, Seam: "agent", Position: "before"}, write("before"), write("during"), write("after"), {Seam: "agent", Position: "after"}}
	w := watch{events: life, monitors: check.NewSet(check.Settings{SendsKey: true, MaxCalls: 2})}
	for n := 1; n <= len(life); n++ {
		w.to(n)
		upTo := append([]history.Event{}, life[:n]...)
		alive, killed := check.NewSet(check.Settings{SendsKey: true, MaxCalls: 2}), check.NewSet(check.Settings{SendsKey: true, MaxCalls: 2})
		alive.See(upTo)
		upTo[n-1].Injected = string(faults.Kill)
		killed.See(upTo)
		if got := w.killed(); got.Key() != killed.Key() {
			t.Errorf("killed at event %d: %q, want %q", n, got.Key(), killed.Key())
		}
		if w.monitors.Key() != alive.Key() {
			t.Errorf("alive at event %d: %q, want %q", n, w.monitors.Key(), alive.Key())
		}
	}
}
