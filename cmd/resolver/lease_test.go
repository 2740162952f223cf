package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// TestLease_ALiveHolder holds a run's lease in this process, which lives: every command that would work on the
// run is refused with who has it and until when, and the worker leaves it alone.
func TestLease_ALiveHolder(t *testing.T) {
	f := newFolder(t)
	f.ok("run", "T-90104")
	f.ok("approve", storedRun, "--as", "agent", "--interrupt", "before-write")
	f.ok("run", "T-65273")
	const waiting = "T-65273-agent-chat-small-1"
	store, err := checkpoint.Open(filepath.Join(f.dir, runsFile), checkpoint.Options{Clock: cli.Wall{}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	self, err := checkpoint.ThisProcess()
	if err != nil {
		t.Fatal(err)
	}
	var leases []resolver.Lease
	for _, runID := range []string{storedRun, waiting} {
		lease, err := store.Acquire(t.Context(), runID, self, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, lease)
		held := "run " + runID + " is held by " + self.String() + " until " + localTime(lease.ExpiresAt)
		f.refusedWith([]string{"approve", runID, "--as", "grace"}, held)
		f.refusedWith([]string{"reject", runID, "--as", "grace"}, held)
	}
	f.refusedWith([]string{"resume", storedRun}, "run "+storedRun+" is held by "+self.String())
	f.ok("resume", waiting) // It shows the request; nobody needs a lease for that.
	f.refusedWith([]string{"reset"}, " is held by "+self.String())
	f.refusedWith([]string{"reset", "--all"}, " is held by "+self.String())
	if out := f.ok("work", "--once"); out != "0 run(s) finished\n" {
		t.Errorf("work:\n%s", out)
	}
	// What only looks is not kept out.
	for _, args := range [][]string{{"runs"}, {"trace", storedRun}, {"changes"}, {"trail"}} {
		f.ok(args...)
	}
	for _, lease := range leases {
		if err := store.Release(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
	}
	if out := f.ok("work", "--once"); !strings.HasSuffix(out, "\n1 run(s) finished\n") {
		t.Errorf("work:\n%s", out)
	}
	f.ok("approve", waiting, "--as", "grace")
}

// TestLease_OfAnotherHost can't be known to be dead and has to run out.
func TestLease_OfAnotherHost(t *testing.T) {
	f := newFolder(t)
	f.ok("run", "T-90104")
	store, err := checkpoint.Open(filepath.Join(f.dir, runsFile), checkpoint.Options{Clock: cli.Wall{}})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	self, err := checkpoint.ThisProcess()
	if err != nil {
		t.Fatal(err)
	}
	self.Host = "elsewhere"
	lease, err := store.Acquire(t.Context(), storedRun, self, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	f.refusedWith([]string{"approve", storedRun, "--as", "agent"}, " on elsewhere until ")
	if err := store.Release(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	if _, err = store.Acquire(t.Context(), storedRun, self, time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	f.ok("approve", storedRun, "--as", "agent")
}
