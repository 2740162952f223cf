package matrix_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // counts what a case left behind

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// TestRun_CountsAreInTheFile counts the refunds of every cell of the lesson's table a second time, with
// SQLite and nothing of the program: in a copy of the database that the case's last life left behind.
func TestRun_CountsAreInTheFile(t *testing.T) {
	forTheGate(t)
	if len(modes()) < 2 {
		t.Skip(scenarios.ErrNoKill)
	}
	r := lesson(matrix.Kill, "T-90104")
	r.Settings = []scenarios.Setting{{Strategy: "operation-id"}, {Strategy: "naive-retry"}, {Strategy: "mark-first"}, {Strategy: "restart"}}
	for _, c := range fill(t, r).Matrix.Cells {
		n, cents := countAtEnd(t, scenarios.Setting{Strategy: c.Strategy}.WithDefaults(), c.Plan, c.Incarnations)
		if n != c.Effects || cents != c.AmountCents {
			t.Errorf("%s with %s: the file holds %d refunds of %d, the cell says %d of %d", c.Plan, c.Strategy, n, cents, c.Effects, c.AmountCents)
		}
	}
}

// countAtEnd runs a plan by real kills, with one kill more at the very end of its last life, and counts in
// the folder that is kept there.
func countAtEnd(t *testing.T, s scenarios.Setting, plan string, lives int) (n int, cents int64) {
	t.Helper()
	p, err := faults.Parse(plan)
	if err != nil {
		t.Fatal(err)
	}
	sc := scenarios.RefundScenario()
	settings, err := sc.Settings(s)
	if err != nil {
		t.Fatal(err)
	}
	last := faults.KillAt(faults.Point{Site: faults.Site{Seam: "lease", Operation: "release"}, Position: faults.After, N: 1})
	for len(p) < lives {
		p = append(p, faults.Life{})
	}
	p[lives-1] = append(p[lives-1], last)
	kept := filepath.Join(t.TempDir(), scenarios.LarkfieldFile)
	w, closer, err := matrix.World(context.Background(), sc, s, matrix.Kill, scenarios.KillOptions{Keep: func(_ int, dir string) error {
		data, err := os.ReadFile(filepath.Join(dir, scenarios.LarkfieldFile))
		if err != nil {
			return err
		}
		return os.WriteFile(kept, data, 0o600)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	if _, err := explorer.Replay(context.Background(), w, p, explorer.Options{Settings: settings, Once: true}); err != nil {
		t.Fatalf("plan %q with %s: %v", p, s.Strategy, err)
	}
	db, err := sql.Open("sqlite", "file:"+kept+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const query = `SELECT COUNT(*), COALESCE(SUM(amount_cents), 0) FROM refunds WHERE order_id = 'LK-793996'`
	if err := db.QueryRow(query).Scan(&n, &cents); err != nil {
		t.Fatal(fmt.Errorf("count in %s: %w", kept, err))
	}
	return n, cents
}
