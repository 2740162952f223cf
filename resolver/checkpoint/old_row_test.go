package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// testdata/schema1.sql is a store as the first build made it, with a run that was saved before states had
// faults_seen and operations. It is never edited: a change that breaks this test breaks people's files.
func TestOpen_OldStore(t *testing.T) {
	script, err := os.ReadFile("testdata/schema1.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	if err := raw(t, path, string(script)).Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, checkpoint.Options{Clock: newClock()})
	st, err := s.Load(ctx, "T-90104-agent-chat-small-1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "status", st.Status, resolver.WaitingApproval)
	same(t, "version", st.Version, 3)
	same(t, "faults seen", st.FaultsSeen, []string{})
	same(t, "operations", st.Operations, []resolver.Operation{})
	if err := s.Check(ctx); err != nil {
		t.Errorf("before a save: %v", err)
	}
	l := acquired(t, s, st.RunID, 1)
	same(t, "token", l.Token, 5)
	if err := s.Save(ctx, st, l, resolver.TrailEntry{Actor: "ana", What: "approved"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.TrailWhole(ctx), s.Check(ctx), s.Close()); err != nil {
		t.Errorf("after a save: %v", err)
	}
}
