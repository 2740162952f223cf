package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// FuzzRow puts any text where a state belongs. Both stores answer alike: a state that can be saved and
// loaded again, or an error that says what is wrong with the row; never a panic.
func FuzzRow(f *testing.F) {
	whole, _ := resolver.EncodeState(sample("r-1"))
	f.Add(string(whole))
	f.Add(`{"run_id":"r-1"}`)
	f.Add(`null`)
	f.Add(`{"run_id":"r-1","operations":[null]}`)
	f.Add(string(whole[:len(whole)/2]))
	if old, err := os.ReadFile("testdata/old_state.json"); err == nil {
		f.Add(string(old))
	}
	path := filepath.Join(f.TempDir(), "runs.sqlite")
	opts := checkpoint.Options{Clock: newClock()}
	lite := openAt(f, path, opts)
	if err := lite.Create(ctx, sample("r-1")); err != nil {
		f.Fatal(err)
	}
	db := raw(f, path, `PRAGMA synchronous = OFF`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := db.Exec(`UPDATE runs SET state = ?, version = 1 WHERE run_id = 'r-1'`, text); err != nil {
			t.Fatal(err)
		}
		memory := checkpoint.NewMemory(opts)
		memory.Restore(&checkpoint.Image{Rows: []*checkpoint.Row{checkpoint.NewRow("r-1", 1, 1, []byte(text))}})
		a, errA := lite.Load(ctx, "r-1")
		b, errB := memory.Load(ctx, "r-1")
		if (errA == nil) != (errB == nil) {
			t.Fatalf("sqlite: %v, memory: %v", errA, errB)
		}
		if errA != nil {
			if !errors.Is(errA, resolver.ErrBadState) || !errors.Is(errB, resolver.ErrBadState) {
				t.Fatalf("sqlite: %v, memory: %v", errA, errB)
			}
			return
		}
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatal(diff)
		}
		saveAgain(t, memory, b)
	})
}

func saveAgain(t *testing.T, s resolver.Store, st *resolver.TaskState) {
	l := acquired(t, s, "r-1", 1)
	if err := s.Save(ctx, st, l); err != nil {
		t.Fatalf("loaded, but can't be saved: %v", err)
	}
	if _, err := s.Load(ctx, "r-1"); err != nil {
		t.Fatalf("saved, but can't be loaded: %v", err)
	}
}
