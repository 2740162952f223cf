//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver"
)

// raceProcesses is how many processes want the same run at the same moment.
const raceProcesses = 8

// raceRounds is how often they do: of the fifty rounds of PAYTWICE_DEEP half approve and half resume.
func raceRounds() int {
	if os.Getenv("PAYTWICE_DEEP") != "" {
		return 25
	}
	return 2
}

var (
	// A loser learns who has the run and until when, or who decided it and when.
	heldLine    = regexp.MustCompile(`^resolver: run \S+ is held by process \d+ on \S+ until \d{4}-\d\d-\d\dT\S+`)
	decidedLine = regexp.MustCompile(`^resolver: run \S+: the run does not wait for approval: the run is (done|executing), approved by agent \(agent\) at \d{4}-\d\d-\d\dT\S+`)
)

func TestRace_ApproveAtTheSameMoment(t *testing.T) {
	template := newFolder(t)
	template.ok("run", "T-90104")
	const runID = "T-90104-agent-chat-small-1"
	held := 0
	race(t, template, []string{"approve", runID, "--as", "agent"}, func(outs []string, codes []int) error {
		winners := 0
		for i, out := range outs {
			switch {
			case codes[i] == 0 && strings.HasSuffix(out, "1 call(s))\nStatus: done"):
				winners++
			case codes[i] == 1 && heldLine.MatchString(out):
				held++
			case codes[i] == 1 && decidedLine.MatchString(out):
			default:
				return fmt.Errorf("process %d: exit %d: %s", i, codes[i], out)
			}
		}
		if winners != 1 {
			return fmt.Errorf("%d winners, want 1", winners)
		}
		return nil
	})
	if held == 0 {
		t.Error("no process ever met the lease of another")
	}
}

func TestRace_ResumeAtTheSameMoment(t *testing.T) {
	template := newFolder(t)
	template.ok("run", "T-90104")
	const runID = "T-90104-agent-chat-small-1"
	template.ok("approve", runID, "--as", "agent", "--interrupt", "after-write")
	race(t, template, []string{"resume", runID}, func(outs []string, codes []int) error {
		winners := 0
		for i, out := range outs {
			switch {
			case codes[i] == 0 && strings.HasSuffix(out, "1 call(s))\nStatus: done"):
				winners++
			case codes[i] == 0 && out == "Nothing to resume: the run is done.":
			case codes[i] == 1 && heldLine.MatchString(out):
			default:
				return fmt.Errorf("process %d: exit %d: %s", i, codes[i], out)
			}
		}
		if winners != 1 {
			return fmt.Errorf("%d winners, want 1", winners)
		}
		return nil
	})
}

// race lets processes do the same at the same moment, each round on a fresh copy of a work folder, and
// checks after each that the approval was used once and had one effect.
func race(t *testing.T, template folder, args []string, judge func(outs []string, codes []int) error) {
	t.Helper()
	for round := range raceRounds() {
		f := folder{t, filepath.Join(t.TempDir(), "work")}
		if err := os.CopyFS(f.dir, os.DirFS(template.dir)); err != nil {
			t.Fatal(err)
		}
		commands := make([]*exec.Cmd, raceProcesses)
		for i := range commands {
			commands[i] = f.command(args...)
		}
		outs, codes := together(t, commands)
		if err := judge(outs, codes); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if n := len(f.changes()); n != 1 {
			t.Fatalf("round %d: %d effects, want 1", round, n)
		}
		trail := f.trail()
		if trail["approved"] != 1 || trail["attempt"] != 1 {
			t.Fatalf("round %d: the trail has %v, want one approval and one call", round, trail)
		}
	}
}

// trail counts the entries of the trail, which must be whole, by what they say.
func (f folder) trail() map[string]int {
	f.t.Helper()
	var document struct {
		Whole bool
		Trail []resolver.TrailEntry
	}
	if err := json.Unmarshal([]byte(f.ok("trail", "--format", "json")), &document); err != nil || !document.Whole {
		f.t.Fatalf("trail: whole %v, %v", document.Whole, err)
	}
	counts := map[string]int{}
	for _, e := range document.Trail {
		counts[e.What]++
	}
	return counts
}

// TestRace_FreshFolder lets processes set up one folder at the same moment, each with a change of its own:
// nobody's practice database may be replaced by another's fresh one.
func TestRace_FreshFolder(t *testing.T) {
	forTheGate(t)
	for round := range 3 {
		f := folder{t, filepath.Join(t.TempDir(), "work")}
		commands := make([]*exec.Cmd, raceProcesses)
		for i := range commands {
			commands[i] = f.command("refund", "--op", fmt.Sprintf("manual-%d", i), "--ticket", "phone-call", "LK-507862", "1.00", "RFD-LATE")
		}
		outs, codes := together(t, commands)
		for i, code := range codes {
			if code != 0 {
				t.Fatalf("round %d, process %d: exit %d: %s", round, i, code, outs[i])
			}
		}
		if n := len(f.changes()); n != raceProcesses {
			t.Fatalf("round %d: %d changes, want %d", round, n, raceProcesses)
		}
		f.check()
	}
}

// TestRace_RunIDs lets processes run one ticket at the same moment: each gets a run of its own.
func TestRace_RunIDs(t *testing.T) {
	f := newFolder(t)
	f.ok("reset", "--all")
	commands := make([]*exec.Cmd, raceProcesses)
	for i := range commands {
		commands[i] = f.command("run", "T-90104")
	}
	outs, codes := together(t, commands)
	for i, code := range codes {
		if code != 0 {
			t.Fatalf("process %d: exit %d: %s", i, code, outs[i])
		}
	}
	if got := strings.Count(f.ok("runs"), "waiting_approval"); got != raceProcesses {
		t.Errorf("%d runs, want %d", got, raceProcesses)
	}
}
