package matrix_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

// modes are the ways to run a plan that this system has.
func modes() []string {
	if !child.Supported {
		return []string{matrix.Simulate}
	}
	return []string{matrix.Simulate, matrix.Kill}
}

// lesson is the request of the lesson's table, with every strategy and every point of a write.
func lesson(mode string, tickets ...string) matrix.Request {
	r := matrix.Request{Mode: mode, Seed: 1, Workers: 2, Points: []string{matrix.BeforeWrite, matrix.DuringCall, matrix.Timeout, matrix.AfterWrite}}
	for _, t := range tickets {
		for _, s := range strategy.Names() {
			r.Settings = append(r.Settings, scenarios.Setting{Ticket: t, Strategy: s})
		}
	}
	return r
}

func fill(t *testing.T, r matrix.Request) matrix.Result {
	t.Helper()
	result, err := matrix.Run(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestRun_Goldens keeps the whole matrix of the lesson's ticket in both modes. Of one with two actions the
// simulation is enough: TestRun_ModesAgree compares it with the kills.
func TestRun_Goldens(t *testing.T) {
	for _, mode := range modes() {
		for _, ticket := range []string{"T-90104", "T-90103"} {
			if mode == matrix.Kill && ticket != "T-90104" {
				continue
			}
			t.Run(mode+"/"+ticket, func(t *testing.T) {
				var got bytes.Buffer
				if err := reports.WriteJSON(&got, fill(t, lesson(mode, ticket)).Matrix); err != nil {
					t.Fatal(err)
				}
				golden(t, filepath.Join("testdata", mode+"-"+ticket+".json"), got.Bytes())
			})
		}
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-golden +now):\n%s", path, diff)
	}
}

// alike returns cells without what the mode alone decides.
func alike(cells []history.Cell) []history.Cell {
	out := slices.Clone(cells)
	for i := range out {
		out[i].Replay = ""
	}
	return out
}

// TestRun_ModesAgree: cells by real kills and in memory differ in nothing but the command that shows them.
func TestRun_ModesAgree(t *testing.T) {
	forTheGate(t)
	if !child.Supported {
		t.Skip(scenarios.ErrNoKill)
	}
	for name, r := range map[string]matrix.Request{
		"lesson":   lesson("", "T-90103"),
		"mid-loop": {Points: []string{matrix.MidLoop}, Settings: []scenarios.Setting{{Ticket: "T-65273", Variant: "agent", Model: "chat-small"}, {Ticket: "T-65273", Variant: "agent", Model: "chat-small", Strategy: "restart"}}},
		"profiles": {Points: []string{matrix.DuringCall}, Settings: []scenarios.Setting{{Provider: "key-only"}, {Provider: "no-key"}, {Provider: "blind"}, {Provider: "resume"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r.Workers = 2
			r.Mode = matrix.Simulate
			simulated := fill(t, r)
			r.Mode = matrix.Kill
			killed := fill(t, r)
			if len(simulated.Matrix.Cells) == 0 {
				t.Fatal("no cell")
			}
			if diff := cmp.Diff(alike(simulated.Matrix.Cells), alike(killed.Matrix.Cells)); diff != "" {
				t.Errorf("cells (-simulated +killed):\n%s", diff)
			}
			if diff := cmp.Diff(simulated.Matrix.Summary, killed.Matrix.Summary); diff != "" {
				t.Errorf("summary (-simulated +killed):\n%s", diff)
			}
		})
	}
}

// TestRun_WorkersChangeNothing: the document is the same byte for byte, whatever runs beside what.
func TestRun_WorkersChangeNothing(t *testing.T) {
	forTheGate(t)
	for _, mode := range modes() {
		var first []byte
		for _, workers := range []int{1, 64} {
			r := lesson(mode, "T-90104")
			r.Settings = r.Settings[:2]
			r.Workers = workers
			var got bytes.Buffer
			if err := reports.WriteJSON(&got, fill(t, r).Matrix); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got.Bytes()
			} else if diff := cmp.Diff(string(first), got.String()); diff != "" {
				t.Errorf("%s, %d workers (-1 worker +now):\n%s", mode, workers, diff)
			}
		}
	}
}
