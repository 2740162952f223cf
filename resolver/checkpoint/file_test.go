package checkpoint_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// raw opens the file past the store, as a person with a database browser would.
func raw(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return db
}

// filled returns a closed file with one run, and its path.
func filled(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	s := openAt(t, path, checkpoint.Options{Clock: newClock()})
	st := created(t, s, "r-1")
	l := acquired(t, s, "r-1", 1)
	for _, what := range []string{"approved", "called", "done"} {
		if err := s.Save(ctx, st, l, resolver.TrailEntry{Actor: "ana", What: what}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Release(ctx, l), s.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// names fails unless err wraps want and says every one of words.
func names(t testing.TB, err, want error, words ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not name %q", err, w)
		}
	}
}

func TestOpen_AgainAndOddNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"runs.sqlite", "with blank.db", "per%20cent?mode=ro#x", "ünï", "file:x"} {
		path := filepath.Join(dir, name)
		s := openAt(t, path, checkpoint.Options{Clock: newClock()})
		created(t, s, "r-1")
		if err := errors.Join(s.Check(ctx), s.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s = openAt(t, path, checkpoint.Options{Clock: newClock()})
		if _, err := s.Load(ctx, "r-1"); err != nil {
			t.Error(err)
		}
		_ = s.Close()
	}
	left, _ := os.ReadDir(dir)
	same(t, "files: no journal, nothing beside", len(left), 5)
}

func TestOpen_Relative(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openAt(t, "runs.sqlite", checkpoint.Options{Clock: newClock()})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("runs.sqlite"); err != nil {
		t.Error(err)
	}
}

func TestOpen_NoFile(t *testing.T) {
	for _, path := range []string{"", ":memory:"} {
		if _, err := checkpoint.Open(path, checkpoint.Options{Clock: newClock()}); !errors.Is(err, checkpoint.ErrBadArgument) {
			t.Errorf("%q: got %v", path, err)
		}
	}
	path := filepath.Join(t.TempDir(), "no", "runs.sqlite")
	_, err := checkpoint.Open(path, checkpoint.Options{Clock: newClock()})
	names(t, err, checkpoint.ErrNotWritable, path, "folder")
	_, err = checkpoint.Open(t.TempDir(), checkpoint.Options{Clock: newClock()})
	names(t, err, checkpoint.ErrNotWritable)
}

func TestOpen_Empty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, checkpoint.Options{Clock: newClock()})
	if err := errors.Join(s.Check(ctx), s.Close()); err != nil {
		t.Error(err)
	}
}

// Whatever the file lost, the first call says so; and it never counts as an empty store.
func TestOpen_Truncated(t *testing.T) {
	path := filled(t)
	whole, _ := os.ReadFile(path)
	for _, keep := range []int{2, 15, 16, 99, 100, 511, 512, 4095, 4096, 4097, len(whole) / 2, len(whole) - 4096, len(whole) - 512, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:keep], 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := checkpoint.Open(path, checkpoint.Options{Clock: newClock()})
		if !errors.Is(err, checkpoint.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%d of %d bytes: got %v", keep, len(whole), err)
		}
		left, _ := os.ReadFile(path)
		if !bytes.Equal(left, whole[:keep]) {
			t.Errorf("%d bytes: the file was changed", keep)
		}
	}
}

func TestOpen_NoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	if err := os.WriteFile(path, []byte(strings.Repeat("a letter to a customer\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := checkpoint.Open(path, checkpoint.Options{Clock: newClock()})
	names(t, err, checkpoint.ErrDamaged, path, "move the file away")
}

func TestOpen_OtherDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "larkfield.sqlite")
	db := raw(t, path, `CREATE TABLE orders (id)`)
	_, err := checkpoint.Open(path, checkpoint.Options{Clock: newClock()})
	names(t, err, checkpoint.ErrNotStore, path)
	if _, err := db.Exec(`PRAGMA user_version = 1`); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, checkpoint.Options{Clock: newClock()})
	_, err = s.List(ctx)
	names(t, err, checkpoint.ErrNotStore, path)
	_ = s.Close()
}

func TestOpen_NewerSchema(t *testing.T) {
	path := filled(t)
	raw(t, path, `PRAGMA user_version = 99`)
	_, err := checkpoint.Open(path, checkpoint.Options{Clock: newClock()})
	names(t, err, checkpoint.ErrNewerSchema, path, "99", "newer build")
}

// Waiting for a lock is the database's own wait, on the bubble's clock here.
func TestLocked(t *testing.T) {
	path := filled(t)
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, path, checkpoint.Options{Clock: wallClock{}, BusyTimeout: 2 * time.Second})
		st, _ := s.Load(ctx, "r-1")
		l := acquired(t, s, "r-1", 2)
		other := raw(t, path, `BEGIN IMMEDIATE`)
		before := time.Now()
		names(t, s.Save(ctx, st, l), checkpoint.ErrLocked, path, "another process")
		if waited := time.Since(before); waited < 2*time.Second || waited > 3*time.Second {
			t.Errorf("waited %s", waited)
		}
		hurried, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := s.Save(hurried, st, l); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a deadline: %v", err)
		}
		if _, err := other.Exec(`ROLLBACK`); err != nil {
			t.Fatal(err)
		}
		if err := s.Save(ctx, st, l); err != nil {
			t.Errorf("once it is free: %v", err)
		}
		// A reader in the way shows only at the commit.
		readers, err := other.Query(`SELECT seq FROM trail`)
		if err != nil || !readers.Next() {
			t.Fatal(err)
		}
		names(t, s.Save(ctx, st, l), checkpoint.ErrLocked, path)
		_ = readers.Close()
		if err := s.Save(ctx, st, l); err != nil {
			t.Errorf("once the reader is gone: %v", err)
		}
		if err := errors.Join(s.Check(ctx), s.Close(), other.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestMalformedRows(t *testing.T) {
	for name, c := range map[string]struct{ change, field string }{
		"no version":      {`UPDATE runs SET version = 'two'`, "version"},
		"version 0":       {`UPDATE runs SET version = 0`, "version"},
		"state a number":  {`UPDATE runs SET state = 12`, "run_id"},
		"state a blob":    {`UPDATE runs SET state = x'00'`, "state"},
		"no status":       {`UPDATE runs SET state = json_remove(state, '$.status')`, "status"},
		"odd status":      {`UPDATE runs SET state = json_set(state, '$.status', 'finished')`, "status"},
		"step a text":     {`UPDATE runs SET state = json_set(state, '$.step', 'two')`, "step"},
		"deep":            {`UPDATE runs SET state = json_remove(state, '$.operations[0].attempts')`, "operations[0].attempts"},
		"from the future": {`UPDATE runs SET state = json_set(state, '$.colour', 1)`, "colour"},
		"of another run":  {`UPDATE runs SET state = json_set(state, '$.run_id', 'r-2')`, "run_id"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			raw(t, path, c.change)
			s := openAt(t, path, checkpoint.Options{Clock: newClock()})
			defer func() { _ = s.Close() }()
			_, err := s.Load(ctx, "r-1")
			if name == "state a number" { // A number has no fields at all.
				names(t, err, resolver.ErrBadState, path, "r-1")
			} else {
				names(t, err, resolver.ErrBadState, path, "r-1", "field", c.field)
			}
			if err := s.Check(ctx); !errors.Is(err, resolver.ErrBadState) {
				t.Errorf("check: %v", err)
			}
		})
	}
}

func TestMalformedColumns(t *testing.T) {
	for field, change := range map[string]string{
		"status":       `UPDATE runs SET status = 'finished'`,
		"updated_at":   `UPDATE runs SET updated_at = 'yesterday'`,
		"model_calls":  `UPDATE runs SET model_calls = 'many'`,
		"input_tokens": `UPDATE runs SET input_tokens = -1`,
		"ticket":       `UPDATE runs SET ticket = x'ff'`,
	} {
		path := filled(t)
		raw(t, path, change)
		s := openAt(t, path, checkpoint.Options{Clock: newClock()})
		_, err := s.List(ctx)
		names(t, err, resolver.ErrBadState, path, "r-1", field)
		_, err = s.Prune(ctx, newClock().Now().Add(time.Hour))
		names(t, err, resolver.ErrBadState, path, "r-1", field)
		if err := s.Check(ctx); !errors.Is(err, resolver.ErrBadState) {
			t.Errorf("check: %v", err)
		}
		_ = s.Close()
	}
	path := filled(t)
	raw(t, path, `UPDATE runs SET model_calls = 7`)
	s := openAt(t, path, checkpoint.Options{Clock: newClock()})
	names(t, s.Check(ctx), resolver.ErrBadState, "r-1", "ModelCalls:7")
	_ = s.Close()
}

func TestTrail_AppendOnly(t *testing.T) {
	db := raw(t, filled(t))
	for _, statement := range []string{`UPDATE trail SET actor = 'eve' WHERE seq = 2`, `DELETE FROM trail`, `INSERT OR REPLACE INTO trail SELECT * FROM trail WHERE seq = 1`} {
		if _, err := db.Exec(statement); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}

func TestTrail_Tampered(t *testing.T) {
	for name, c := range map[string]struct{ change, says string }{
		"changed":      {`UPDATE trail SET actor = 'eve' WHERE seq = 2`, "entry 2"},
		"chain":        {`UPDATE trail SET chain = 'x' WHERE seq = 2`, "entry 2"},
		"first gone":   {`DELETE FROM trail WHERE seq = 1`, "entry 1"},
		"middle gone":  {`DELETE FROM trail WHERE seq = 2`, "entry 2"},
		"last gone":    {`DELETE FROM trail WHERE seq = 3`, "should end with entry 3"},
		"all gone":     {`DELETE FROM trail`, "should end with entry 3"},
		"added":        {`INSERT INTO trail SELECT 4, run_id, at, actor, what, operation_id, detail, chain FROM trail WHERE seq = 3`, "entry 4"},
		"closed up":    {`DELETE FROM trail WHERE seq = 2; UPDATE trail SET seq = 2 WHERE seq = 3`, "entry 2"},
		"time a word":  {`UPDATE trail SET at = 'noon' WHERE seq = 3`, "entry 3"},
		"no head":      {`DELETE FROM trail_head`, "head"},
		"head a blob":  {`UPDATE trail_head SET chain = x'00'`, "head"},
		"offset moved": {`UPDATE trail SET at = replace(at, '-05:00', '-04:00') WHERE seq = 1`, "entry 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filled(t)
			raw(t, path, `DROP TRIGGER trail_no_update; DROP TRIGGER trail_no_delete; `+c.change)
			s := openAt(t, path, checkpoint.Options{Clock: newClock()})
			defer func() { _ = s.Close() }()
			names(t, s.TrailWhole(ctx), checkpoint.ErrTrailBroken, path, c.says)
			names(t, s.Check(ctx), checkpoint.ErrTrailBroken)
		})
	}
}

// What a pruned run held of its customer is gone from the file's bytes, not only from its rows.
func TestPrune_LeavesNoBytes(t *testing.T) {
	clock := newClock()
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	s := openAt(t, path, checkpoint.Options{Clock: clock})
	for _, id := range []string{"r-1", "r-2", "r-3"} {
		st := created(t, s, id)
		l := acquired(t, s, id, 1)
		for n := range 20 { // Rows that grow and shrink leave copies in many pages.
			st.Messages[0].Content = strings.Repeat("secret of a customer ", 1+n*37%200)
			st.Status = resolver.Done
			if err := s.Save(ctx, st, l); err != nil {
				t.Fatal(err)
			}
		}
		_ = s.Release(ctx, l)
	}
	keep := sample("r-4")
	keep.Messages[0].Content = "an open matter"
	if err := s.Create(ctx, keep); err != nil {
		t.Fatal(err)
	}
	clock.advance(time.Hour)
	if n, err := s.Prune(ctx, clock.Now()); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if err := errors.Join(s.Check(ctx), s.Close()); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	if bytes.Contains(data, []byte("secret of")) || !bytes.Contains(data, []byte("an open matter")) {
		t.Error("the file holds the wrong customers")
	}
}
