package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// folder is a work folder that commands are run on, in this process.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T) folder {
	t.Helper()
	f := folder{t, filepath.Join(t.TempDir(), "work")}
	t.Cleanup(f.check)
	return f
}

// check is the full check of both stores, after every test that opened them.
func (f folder) check() {
	if f.t.Failed() {
		return
	}
	if err := checkFolder(f.dir); err != nil {
		f.t.Errorf("the work folder is not whole: %v", err)
	}
}

// run runs one command and returns its exit code and what it printed.
func (f folder) run(args ...string) (code int, out, errOut string) {
	f.t.Helper()
	var stdout, stderr bytes.Buffer
	noEnv := func(string) string { return "" }
	code = run(f.t.Context(), append([]string{"--dir", f.dir}, args...), &stdout, &stderr, noEnv)
	return code, stdout.String(), stderr.String()
}

// ok runs a command that must not be refused, and returns its output.
func (f folder) ok(args ...string) string {
	f.t.Helper()
	code, out, errOut := f.run(args...)
	if code != 0 {
		f.t.Fatalf("resolver %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errOut)
	}
	return out
}

func (f folder) changes() []changeJSON {
	f.t.Helper()
	var document struct {
		Changes []changeJSON `json:"changes"`
	}
	if err := json.Unmarshal([]byte(f.ok("changes", "--format", "json")), &document); err != nil {
		f.t.Fatal(err)
	}
	return document.Changes
}

func (f folder) state(runID string) *resolver.TaskState {
	f.t.Helper()
	store, err := checkpoint.Open(filepath.Join(f.dir, runsFile), checkpoint.Options{Clock: cli.Wall{}})
	if err != nil {
		f.t.Fatal(err)
	}
	defer store.Close()
	s, err := store.Load(f.t.Context(), runID)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// refusedTicket is the one whose warehouse refuses the reshipment that was right to propose.
const refusedTicket = "T-90605"

func TestEveryTicket(t *testing.T) {
	forTheGate(t)
	for _, c := range []struct{ variant, model string }{{"agent", "chat-small"}, {"agent_structured", "chat-strong"}} {
		t.Run(c.variant, func(t *testing.T) {
			f := newFolder(t)
			want := map[string]int{}
			for _, task := range larkfield.Tasks() {
				f.ok("run", task.ID, "--variant", c.variant, "--model", c.model)
				runID := resolver.RunID(task.ID, c.variant, c.model, 1)
				checkEnd(t, task, f.state(runID))
				if len(task.Expected.Actions) == 0 {
					continue
				}
				f.ok("approve", runID, "--as", "grace")
				if task.ID == refusedTicket {
					continue
				}
				for _, a := range task.Expected.Actions {
					want[task.ID+" "+resolver.OperationID(task.ID, a)]++
				}
			}
			if len(want) != 32 {
				t.Fatalf("%d changes are expected, want 33 less the refused one", len(want))
			}
			got := map[string]int{}
			for _, change := range f.changes() {
				got[change.Ticket+" "+change.OperationID]++
				checkNotForbidden(t, change)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			for _, id := range publishedIDs(t) {
				if got[id] != 1 {
					t.Errorf("published operation %s: %d changes", id, got[id])
				}
			}
		})
	}
}

// checkEnd compares what the loop decided with the ticket's answer key.
func checkEnd(t *testing.T, task larkfield.Task, s *resolver.TaskState) {
	t.Helper()
	if s.Proposal == nil {
		t.Errorf("%s: no proposal: %s %s", task.ID, s.Status, s.StopReason)
		return
	}
	if o := s.Proposal.Outcome; o != task.Expected.Outcome && !slices.Contains(task.AcceptableOutcomes, o) {
		t.Errorf("%s: outcome %s, expected %s or %v", task.ID, o, task.Expected.Outcome, task.AcceptableOutcomes)
	}
	if (s.Status == resolver.WaitingApproval) != (len(task.Expected.Actions) > 0) {
		t.Errorf("%s: status %s with %d expected action(s)", task.ID, s.Status, len(task.Expected.Actions))
	}
}

func checkNotForbidden(t *testing.T, c changeJSON) {
	t.Helper()
	task, ok := larkfield.TaskByID(c.Ticket)
	if !ok {
		t.Errorf("a change of no ticket: %+v", c)
	}
	a := resolver.Action{Tool: c.Tool, OrderID: c.OrderID, SKU: c.SKU, Quantity: c.Quantity, AmountCents: c.AmountCents}
	for _, f := range task.Forbidden {
		if f.Matches(a) {
			t.Errorf("%s: forbidden change %+v", c.Ticket, c)
		}
	}
}

// publishedIDs returns the course's ticket and operation id of 17 expected actions.
func publishedIDs(t *testing.T) []string {
	t.Helper()
	src, err := os.Open(filepath.Join("testdata", "operation_ids.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	rows, err := csv.NewReader(src).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, row := range rows[1:] {
		ids = append(ids, row[0]+" "+row[3])
	}
	if len(ids) != 17 {
		t.Fatalf("%d published ids, want 17", len(ids))
	}
	return ids
}

// TestEveryTicket_Forbidden sees the comparison fail: no ticket may leave a change that its key forbids, so
// each forbidden pattern must match the change it names.
func TestEveryTicket_Forbidden(t *testing.T) {
	patterns := 0
	for _, task := range larkfield.Tasks() {
		for _, f := range task.Forbidden {
			patterns++
			a := resolver.Action{Tool: f.Tool, OrderID: f.OrderID, AmountCents: f.AmountCents, Quantity: f.Quantity}
			if !f.Matches(a) {
				t.Errorf("%s: %+v does not match itself", task.ID, f)
			}
		}
	}
	if patterns == 0 {
		t.Error("no ticket forbids anything")
	}
}
