package blackbox_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// sqlite returns the configuration that runs the SQLite program on a database that is there already.
func sqlite(t testing.TB, journal string, args ...string) blackbox.Config {
	t.Helper()
	cfg := target(t)
	bin := program(t, "sqlite")
	cfg.Template = t.TempDir()
	cmd := exec.Command(bin, "init", journal)
	cmd.Dir = cfg.Template
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cfg.Command = append([]string{bin}, args...)
	cfg.Check = []string{bin, "check"}
	cfg.Acked = regexp.MustCompile(`^acked (.*)`)
	return cfg
}

func TestSweep_SQLite(t *testing.T) {
	forTheGate(t)
	for _, journal := range []string{"delete", "wal"} {
		t.Run(journal, func(t *testing.T) {
			cfg := sqlite(t, journal, "run", journal, "full", "1")
			r := sweep(t, cfg)
			t.Logf("%d calls; %s; ratio %.1f", r.Calls, r.Kills, r.Ratio())
			if len(r.Violations) > 0 || !r.Complete || r.Kills.Landed != 2*r.Calls {
				t.Errorf("%+v", r)
			}
		})
	}
	t.Run("careless", func(t *testing.T) {
		cfg := sqlite(t, "delete", "careless", "1")
		cfg.Acked = nil // it promises nothing
		r := sweep(t, cfg)
		t.Logf("%d calls; %s; ratio %.1f", r.Calls, r.Kills, r.Ratio())
		if r.Kills.Violations[blackbox.DoubleWrite] == 0 {
			t.Errorf("the careless program is not caught: %+v", r)
		}
	})
}

// row is one row of the table of journal modes: how many of the folders that a power cut could leave, or
// that a kill did leave, are broken in which way.
type row struct {
	images, corrupt, torn, lost int
	// how is what the cut took away in the first folder that lost a commit.
	how string
}

func (r row) String() string {
	return fmt.Sprintf("%5d images %4d corrupt %4d torn %4d acknowledged commits lost", r.images, r.corrupt, r.torn, r.lost)
}

// judgeSQLite opens a database, recovers it, and says what is wrong.
func judgeSQLite(t *testing.T, dir string, acked []string) (corrupt, torn, lost bool) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "shop.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var verdict string
	if err := db.QueryRow("pragma integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		return true, false, false
	}
	var columns []string
	for _, table := range []string{"a", "b", "c"} {
		var ids sql.NullString
		if err := db.QueryRow("select group_concat(id) from (select id from " + table + " order by id)").Scan(&ids); err != nil {
			return true, false, false
		}
		columns = append(columns, ids.String)
	}
	if columns[0] != columns[1] || columns[1] != columns[2] {
		return false, true, false
	}
	return false, false, slices.ContainsFunc(acked, func(id string) bool {
		return !strings.Contains(","+columns[0]+",", ","+id+",")
	})
}

// powerRow records one transaction and judges every folder that a power cut could leave.
func powerRow(t *testing.T, journal, synchronous string) row {
	t.Helper()
	cfg := sqlite(t, journal, "run", journal, synchronous, "1")
	cfg.PowerLoss = true
	tr, err := blackbox.Record(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	limits := blackbox.PowerLimits{}
	if deep() {
		limits = blackbox.PowerLimits{Subsets: 10, Images: 10_000}
	}
	set, err := blackbox.Images(tr, limits)
	if err != nil {
		t.Fatal(err)
	}
	var r row
	dir := filepath.Join(cfg.WorkDir, "image")
	defer os.RemoveAll(dir)
	for im := range set.All() {
		if err := im.Write(dir); err != nil {
			t.Fatal(err)
		}
		corrupt, torn, lost := judgeSQLite(t, dir, im.Acked)
		r.images++
		for into, is := range map[*int]bool{&r.corrupt: corrupt, &r.torn: torn, &r.lost: lost} {
			if is {
				*into++
			}
		}
		if lost && r.how == "" {
			r.how = im.Lost()
		}
		if r.lost == 1 && lost || r.corrupt == 1 && corrupt {
			t.Logf("  %s: %s", im.Cut, im.Lost())
		}
	}
	t.Logf("%-8s %-6s %3d operations, %s; %s", journal, synchronous, set.Operations, r, set.Caps)
	return r
}

func TestPowerLoss_SQLiteTable(t *testing.T) {
	forTheGate(t)
	for _, mode := range []struct {
		journal, synchronous string
		allowed              func(r row) bool
	}{
		// The exception by name: the journal's removal is not synced, and a journal that is back rolls the commit back.
		{"delete", "full", func(r row) bool {
			return r.corrupt+r.torn == 0 && r.lost == 1 && strings.Contains(r.how, "unlink[shop.db-journal]")
		}},
		{"delete", "extra", func(r row) bool { return r.corrupt+r.torn+r.lost == 0 }},
		// The journal's header may be there without its pages: rarely, and no commit is torn.
		{"delete", "normal", func(r row) bool { return r.torn == 0 && r.corrupt > 0 && r.corrupt < r.images/10 }},
		{"delete", "off", func(r row) bool { return r.corrupt > 0 && r.torn > 0 && r.lost > 0 }},
		{"truncate", "full", func(r row) bool { return r.corrupt+r.torn+r.lost == 0 }},
		{"persist", "full", func(r row) bool { return r.corrupt+r.torn+r.lost == 0 }},
		{"wal", "normal", func(r row) bool { return r.corrupt+r.torn == 0 && r.lost > 0 }},
		{"wal", "full", func(r row) bool { return r.corrupt+r.torn+r.lost == 0 }},
	} {
		t.Run(mode.journal+"-"+mode.synchronous, func(t *testing.T) {
			if r := powerRow(t, mode.journal, mode.synchronous); r.images < 20 || !mode.allowed(r) {
				t.Errorf("not what SQLite documents: %s", r)
			}
		})
	}
}
