package checkpoint

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
)

var errCommit = errors.New("commit answered with an error")

// Commits that answer with an error although they were done, or were not.
var badCommits = map[string]struct {
	commit func(context.Context, *sql.Conn) error
	lands  bool
}{
	"done all the same": {func(ctx context.Context, c *sql.Conn) error { return errors.Join(commit(ctx, c), errCommit) }, true},
	"not done":          {func(context.Context, *sql.Conn) error { return errCommit }, false},
}

func TestWrite_CommitFails(t *testing.T) {
	ctx := context.Background()
	for name, c := range badCommits {
		t.Run(name, func(t *testing.T) {
			s, st, l := opened(t)
			ok := func(what string, err error) {
				t.Helper()
				if c.lands && err != nil || !c.lands && !errors.Is(err, errCommit) {
					t.Errorf("%s: got %v", what, err)
				}
			}
			before, _ := s.Image(ctx)
			s.commit = c.commit
			st.Step = 7
			ok("save", s.Save(ctx, st, l, resolver.TrailEntry{What: "called"}))
			if got, want := st.Version, map[bool]int64{true: 2, false: 1}[c.lands]; got != want {
				t.Errorf("version %d, want %d", got, want)
			}
			ok("create", s.Create(ctx, resolver.NewState(resolver.Ticket{ID: "T-2"}, "r-2", "agent", "m", 1)))
			_, err := s.Renew(ctx, l, time.Hour)
			ok("renew", err)
			ok("release", s.Release(ctx, l))
			_, err = s.Acquire(ctx, "r-2", resolver.Holder{Host: "h", PID: 2}, time.Hour)
			if c.lands {
				ok("acquire", err)
			}
			s.commit = commit
			after, _ := s.Image(ctx)
			if !c.lands {
				if diff := cmp.Diff(before, after); diff != "" {
					t.Error(diff)
				}
				return
			}
			if len(after.Rows) != 2 || after.Rows[0].Version != 2 || len(after.Trail) != 1 || after.Leases[0].ExpiresAt.IsZero() == false || after.Leases[1].Token != 1 {
				t.Errorf("got %+v", after)
			}
		})
	}
}

// When not even reading back works, the answer is that nobody knows.
func TestWrite_OutcomeUnknown(t *testing.T) {
	ctx := context.Background()
	s, st, l := opened(t)
	s.commit = func(ctx context.Context, c *sql.Conn) error {
		_, err := c.ExecContext(ctx, `ROLLBACK; UPDATE runs SET version = 'x'`)
		return errors.Join(err, errCommit)
	}
	err := s.Save(ctx, st, l)
	if !errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, errCommit) || !errors.Is(err, resolver.ErrBadState) {
		t.Errorf("got %v", err)
	}
	if st.Version != 1 {
		t.Errorf("version %d", st.Version)
	}
	if _, err := s.db.Exec(`UPDATE runs SET version = 1`); err != nil {
		t.Fatal(err)
	}
}

// A panic inside a transaction, such as a simulated crash, leaves no transaction behind.
func TestWrite_Panic(t *testing.T) {
	ctx := context.Background()
	s, st, l := opened(t)
	s.commit = func(context.Context, *sql.Conn) error { panic("crash") }
	func() {
		defer func() { _ = recover() }()
		_ = s.Save(ctx, st, l)
	}()
	s.commit = commit
	if err := s.Save(ctx, st, l); err != nil {
		t.Error(err)
	}
}
