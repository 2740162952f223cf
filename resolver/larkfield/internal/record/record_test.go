package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

var data = filepath.Join("..", "..", "data")

func decisions(t testing.TB) []run {
	t.Helper()
	f, err := os.Open(filepath.Join(data, "decisions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := readRuns("decisions.jsonl", f)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// The embedded recordings are what this command makes of the decisions now. Where this fails after a change
// of prompts, tools or services: go run ./resolver/larkfield/internal/record
func TestRecord_GivesTheEmbeddedBytes(t *testing.T) {
	files, err := record(decisions(t))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, file := range files {
		names = append(names, file.name)
		want, err := os.ReadFile(filepath.Join(data, larkfield.RecordingsDir, file.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, file.data) {
			t.Errorf("%s is not up to date", file.name)
		}
	}
	if diff := cmp.Diff([]string{"agent-chat-small.jsonl.gz", "agent_structured-chat-strong.jsonl.gz"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestRecord_Errors(t *testing.T) {
	finish := `{"tool":"finish","resolution":{"outcome":"reply_only","rule":"W1","actions":[],"reply":"","reason":""}}`
	line := func(ticket, steps string) string {
		return `{"ticket":"` + ticket + `","variant":"agent","model":"chat-small","repeat":1,"steps":[` + steps + `]}`
	}
	for name, c := range map[string]struct{ text, says string }{
		"not JSON":       {line("T-80008", finish) + "\noops", "d.jsonl:2: "},
		"no steps":       {line("T-80008", ""), "d.jsonl:1: a run has"},
		"unknown field":  {`{"tickets":"T-1"}`, "d.jsonl:1: "},
		"unknown ticket": {line("T-1", finish), "no such ticket"},
		"no finish":      {line("T-80008", `{"tool":"get_customer_orders","arguments":{}}`), "ended with provider_error after 1 of 1"},
		"after finish":   {line("T-80008", finish+","+finish), "ended with finished after 1 of 2"},
		"a refused step": {line("T-80008", `{"tool":"rm","arguments":{}},`+finish), "a step was refused"},
	} {
		runs, err := readRuns("d.jsonl", strings.NewReader(c.text))
		if err == nil {
			_, err = record(runs)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// replay runs a ticket from the embedded recordings on fresh services; kill ends the process after that
// step, 0 never. It returns the saved state of the end, and how many model calls were made.
func replay(t *testing.T, r run, kill int) (*resolver.TaskState, int) {
	t.Helper()
	task, ok := larkfield.TaskByID(r.Ticket)
	if !ok {
		t.Fatalf("no ticket %s", r.Ticket)
	}
	model := &counter{Model: larkfield.Model()}
	// One world for all lives: the services outlive the process, and so do the faults that this run used.
	name := fmt.Sprint(t.Name(), " ", r.name(), " kill ", kill)
	loop := &agent.Loop{Model: model, Services: world.Services(caller(task, name))}
	s := resolver.NewState(task.Ticket, resolver.RunID(r.Ticket, r.Variant, r.Model, 1), r.Variant, r.Model, r.Repeat)
	var saved []byte
	err := loop.Run(context.Background(), task.Ticket, s, func(_ context.Context, s *resolver.TaskState) (err error) {
		if saved, err = resolver.EncodeState(s); err == nil && s.Step == kill {
			err = errKilled
		}
		return err
	})
	if kill == 0 && err != nil || kill > 0 && !errors.Is(err, errKilled) {
		t.Fatalf("%s: %v", r.name(), err)
	}
	back, err := resolver.DecodeState(saved)
	if err != nil {
		t.Fatalf("%s: %v", r.name(), err)
	}
	if back.Status == resolver.Running {
		if err := loop.Run(context.Background(), task.Ticket, back, nil); err != nil {
			t.Fatalf("%s: %v", r.name(), err)
		}
	}
	return back, model.calls
}

var (
	errKilled = errors.New("killed")
	world     = practice(day)
)

type counter struct {
	resolver.Model
	calls int
}

func (c *counter) Complete(ctx context.Context, q resolver.ModelRequest) (resolver.ModelResponse, error) {
	c.calls++
	return c.Model.Complete(ctx, q)
}

// Every recorded run replays to its decision, asked exactly as recorded; killed after any step it ends in
// the same state, byte for byte, and nothing is asked twice.
func TestReplay_EveryRunAndEveryKill(t *testing.T) {
	for _, r := range decisions(t) {
		whole, calls := replay(t, r, 0)
		if whole.StopReason != agent.StopFinished || calls != len(r.Steps) || whole.Usage.ModelCalls != calls {
			t.Errorf("%s: %s, %d calls", r.name(), whole.StopReason, calls)
		}
		for _, e := range whole.Events {
			if e.Kind == "note" {
				t.Errorf("%s: step %d: %s", r.name(), e.Step, e.Text)
			}
		}
		want, err := resolver.EncodeState(whole)
		if err != nil {
			t.Fatal(err)
		}
		for kill := 1; kill <= len(r.Steps); kill++ {
			resumed, calls := replay(t, r, kill)
			got, err := resolver.EncodeState(resumed)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(want, got) || calls != len(r.Steps) {
				t.Errorf("%s killed after %d: %d calls\n%s", r.name(), kill, calls, cmp.Diff(string(want), string(got)))
			}
		}
	}
}

// The first repeats end as the tickets expect, and no repeat proposes what is forbidden.
func TestReplay_AsExpected(t *testing.T) {
	for _, r := range decisions(t) {
		s, _ := replay(t, r, 0)
		task, _ := larkfield.TaskByID(r.Ticket)
		actions := []resolver.Action{}
		for _, a := range s.Proposal.Actions {
			actions = append(actions, a.Action)
			for _, f := range task.Forbidden {
				if f.Matches(a.Action) {
					t.Errorf("%s: %s is forbidden", r.name(), a.Text())
				}
			}
		}
		if r.Repeat > 1 {
			continue
		}
		expected := slices.Clone(task.Expected.Actions)
		byTool := func(a, b resolver.Action) int { return strings.Compare(a.Text(), b.Text()) }
		slices.SortFunc(expected, byTool)
		slices.SortFunc(actions, byTool)
		if s.Proposal.Outcome != task.Expected.Outcome || !slices.Equal(expected, actions) {
			t.Errorf("%s: %s, want %s %v", r.name(), s.Proposal.Summary(), task.Expected.Outcome, expected)
		}
	}
}

// The lesson's numbers: 3 model calls, 2 tool calls, 7155 tokens in, 192 out, US$0.00081.
func TestReplay_TheLessonsRun(t *testing.T) {
	for repeat := 1; repeat <= 3; repeat++ {
		for kill := 0; kill <= 3; kill++ {
			s, calls := replay(t, run{Ticket: "T-65273", Variant: agent.VariantAgent, Model: "chat-small", Repeat: repeat}, kill)
			got := fmt.Sprintf("%s (rule %s) | %d model call(s), %d tool call(s) | %d tokens in, %d out | US$%.5f",
				s.Proposal.Outcome, s.Proposal.Rule, s.Usage.ModelCalls, agent.ToolCalls(s), s.Usage.InputTokens, s.Usage.OutputTokens, float64(s.Usage.CostMicros)/1e6)
			if got != "resolve (rule W7) | 3 model call(s), 2 tool call(s) | 7155 tokens in, 192 out | US$0.00081" || calls != 3 {
				t.Errorf("repeat %d, kill after %d: %s, %d calls", repeat, kill, got, calls)
			}
		}
	}
	s, _ := replay(t, run{Ticket: "T-65273", Variant: agent.VariantAgent, Model: "chat-small", Repeat: 1}, 1)
	lines := []string{}
	for _, e := range s.Events {
		text, _, _ := strings.Cut(e.Text, " | ")
		lines = append(lines, fmt.Sprintf("%d %s %s", e.Step, e.Kind, text))
	}
	want := []string{
		"1 model get_order", "1 tool get_order LK-507862 -> ok", "2 model get_payments", "2 tool get_payments LK-507862 -> ok",
		"3 model finish", "3 proposal resolve (W7): request_refund LK-507862", "3 stop finished",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

// The lesson's other run: the second recording of T-90103 forgets the label.
func TestReplay_ASecondRecordingDiffers(t *testing.T) {
	for repeat, want := range map[int]string{
		1: "resolve (W5): reship_item LK-640436, create_return_label LK-640436",
		2: "resolve (W5): reship_item LK-640436",
	} {
		s, _ := replay(t, run{Ticket: "T-90103", Variant: agent.VariantAgent, Model: "chat-small", Repeat: repeat}, 0)
		if got := s.Proposal.Summary(); got != want {
			t.Errorf("repeat %d: %s", repeat, got)
		}
	}
}
