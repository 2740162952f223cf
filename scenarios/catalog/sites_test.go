package catalog_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
)

// passed is a world that notes every site that one of its lives comes by.
type passed struct {
	explorer.World
	mu    sync.Mutex
	sites map[faults.Point]bool
}

func (w *passed) Run(ctx context.Context, from explorer.State, life faults.Life) (explorer.Incarnation, error) {
	inc, err := w.World.Run(ctx, from, life)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range inc.Points {
		p.Point.N = 1
		w.sites[p.Point] = true
	}
	return inc, err
}

// TestSites: every scenario lists its operations; a search comes by no point that the list refuses, and by a point of
// each site on the list of a small program.
func TestSites(t *testing.T) {
	came := map[string]map[faults.Site]bool{}
	for _, sc := range catalog.All() {
		if sc.Sites == nil {
			t.Errorf("%s lists none", sc.Name)
			continue
		}
		if strings.HasPrefix(sc.Name, "field/") {
			continue // They are looked at where they are.
		}
		family, _, _ := strings.Cut(sc.Name, "/")
		if came[family] == nil {
			came[family] = map[faults.Site]bool{}
		}
		for p := range points(t, sc) {
			came[family][p.Site] = true
			if err := sc.CheckPlan(faults.Plan{{faults.KillAt(p)}}); err != nil {
				t.Errorf("%s passes %s: %v", sc.Name, p, err)
			}
		}
	}
	for _, sc := range catalog.All() {
		for site := range sc.Sites {
			if slices.Contains([]string{"batch", "graph-node", "transfer"}, sc.Name) && !came[sc.Name][site] {
				t.Errorf("%s never comes by %s", sc.Name, site)
			}
		}
	}
}

// points are those that a search with two faults comes by, refusals and lost answers among them.
func points(t *testing.T, sc scenarios.Scenario) map[faults.Point]bool {
	t.Helper()
	s := sc.Setting.WithDefaults()
	inner, err := sc.Simulate(s)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := sc.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	w := &passed{World: inner, sites: map[faults.Point]bool{}}
	f := events(t, []string{"refuse", "lose-response"})
	if _, err := explorer.Explore(t.Context(), w, explorer.Options{Crashes: 1, Faults: f, Settings: settings, Workers: 2, Once: true}); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", sc.Name, err))
	}
	return w.sites
}

// TestSites_Refused: a point that a scenario can't have is refused, with what there is.
func TestSites_Refused(t *testing.T) {
	for line, want := range map[string]string{
		"transfer kill payment.request_refund/after#1": `unknown seam "payment", not one of alert, bank, checkpoint, lease`,
		"transfer kill bank.transfr/after#1":           `unknown operation "bank.transfr" (did you mean bank.transfer?)`,
		"transfer kill lease.exchange/after#1":         `unknown operation "lease.exchange", not one of lease.acquire, lease.release`,
		"transfer kill checkpoint.save/during#1":       `checkpoint.save/during#1 can't exist: checkpoint.save is the process's own, so a call is done or not`,
		"transfer run; kill bank.transfer/during#9":    "<nil>",
		"transfer/mark-first kill x.y/after#1":         `unknown seam "x", not one of alert, bank, checkpoint, lease`,
		"batch kill bank.transfer/after#1":             `unknown seam "bank", not one of log, progress`,
		"graph-node pause 2m log.read/before#1":        `unknown seam "log", not one of checkpoint, node, payment`,
		"refund kill payment.request_refunds/after#1":  `unknown operation "payment.request_refunds" (did you mean payment.request_refund?)`,
	} {
		name, text, _ := strings.Cut(line, " ")
		sc, err := catalog.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := faults.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(sc.CheckPlan(plan)); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}
