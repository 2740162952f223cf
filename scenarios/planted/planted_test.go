package planted_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/planted"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestMain(m *testing.M) {
	catalog.ChildMain()
	os.Exit(m.Run())
}

const golden = "testdata/smallest.txt"

// Each planted bug is caught by its own invariant, and its smallest plan is the golden's.
func TestAudit_Golden(t *testing.T) {
	o := planted.AuditOptions{Workers: 2}
	a, err := planted.Audit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, p := range a.Planted {
		if !p.Caught {
			t.Errorf("%s: %s did not see it; others: %v", p.Name, p.Invariant, p.Others)
		}
		fmt.Fprintf(&b, "%s\n  %s: %s\n", p.Name, p.Invariant, p.Plan)
	}
	if a.Caught != a.Total || a.Total < 24 {
		t.Errorf("%d of %d caught, want all of at least 24", a.Caught, a.Total)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("smallest plans (-want +got):\n%s", diff)
	}
}

// A planting that swaps nothing breaks nothing under the settings of any bug: what is caught is the bug.
func TestAudit_NothingPlanted(t *testing.T) {
	for _, b := range planted.All() {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			found, err := b.Unplanted().Search(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				t.Errorf("%s: %s", c.Invariant, c.Plan)
			}
		})
	}
}

// An audit of nothing planted says that it was not caught.
func TestAudit_Uncaught(t *testing.T) {
	b := planted.All()[0].Unplanted()
	a, err := planted.Audit(t.Context(), planted.AuditOptions{Bugs: []planted.Bug{b}, SimulateOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if p := a.Planted[0]; p.Caught || p.Plan != "" || a.Caught != 0 || a.Total != 1 || a.Schema != history.AuditSchema {
		t.Errorf("audit of nothing planted: %+v", a)
	}
}

// A bug that only another invariant catches is not caught.
func TestAudit_CaughtByAnother(t *testing.T) {
	b, _ := planted.ByName("done-before-the-call")
	b.Invariant, b.Crashes = "over-capture", 1
	a, err := planted.Audit(t.Context(), planted.AuditOptions{Bugs: []planted.Bug{b}})
	if err != nil {
		t.Fatal(err)
	}
	if p := a.Planted[0]; p.Caught || !slices.Contains(p.Others, "lost-write") {
		t.Errorf("caught %t, others %v", p.Caught, p.Others)
	}
}

// With only one invariant switched on, each one catches a planted bug.
func TestInvariants_EachAlone(t *testing.T) {
	for _, name := range check.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caught := 0
			for _, b := range planted.All() {
				if b.Invariant != name {
					continue
				}
				found, err := b.Search(t.Context(), []string{name})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range found {
					if c.Invariant != name {
						t.Errorf("%s: %s is switched off", b.Name, c.Invariant)
					}
					caught++
				}
			}
			if caught == 0 {
				t.Errorf("%s alone catches no planted bug", name)
			}
		})
	}
}

// Names are unique, and each bug says what is wrong in one line.
func TestAll_Listed(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range planted.All() {
		if seen[b.Name] || b.Doc == "" || strings.Contains(b.Doc, "\n") || !slices.Contains(check.Names(), b.Invariant) {
			t.Errorf("%+v", b)
		}
		seen[b.Name] = true
		sc, err := catalog.ByName(planted.Prefix + b.Name)
		if err != nil || !sc.Broken || sc.Expect != b.Invariant {
			t.Errorf("%s in the catalog: %+v, %v", b.Name, sc, err)
		}
	}
}
