package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
)

// The documents of the command line's contract, each with every field it must have: a field's value here
// says its type, and the one element of an array stands for all of them. Money is whole cents.
var contract = map[string]string{
	"matrix": `{"schema":"paytwice.matrix/1","scenario":"refund","mode":"kill","seed":1,
	  "cells":[{"ticket":"T-90104","action":1,"tool":"request_refund","operation_id":"797fbb5bbb9f8a7e","point":"after-write","strategy":"naive-retry","provider":"larkfield",
	            "plan":"kill payment.request_refund/after#1","landed":true,"effects":2,"amount_cents":1990,"currency":"CAD","calls":2,"lookups":0,"incarnations":2,
	            "model_calls":2,"status":"done","handed_to_person":false,"verdict":"violation","violations":["double-write"]}],
	  "summary":{"cells":6,"landed":6,"double_writes":2,"lost_writes":0,"handed_to_person":0,"undecided":0}}`,
	"map": `{"map":[{"strategy":"naive-retry","provider":"larkfield","class":"double"}]}`,
	"explore": `{"schema":"paytwice.explore/1","scenario":"refund","ticket":"T-90104","strategy":"naive-retry","provider":"larkfield","mode":"simulate","crashes":3,
	  "points":41,"plans_covered":59319,"incarnations_run":57,"states":57,"plans_distinct":1200,"closed":true,"handed_to_person":0,"complete":true,"unreached":["x"],"left_out":"",
	  "violations":[{"invariant":"double-write","plan":"x","faults":1,"effects":2,"replay":"paytwice replay"}]}`,
	"history": `{"schema":"paytwice.history/1","plan":"x","lives":[{"events":[{"n":1,"seam":"x","operation":"x","position":"x","what":"x","at":"2026-10-09T17:00:00-04:00"}],"ended":"killed"}],
	  "ledger":[{"operation_id":"x"}],"verdict":"pass","violations":["x"]}`,
	"points": `{"points":[{"name":"x","position":"before","reached":true}]}`,
}

// broken returns what of a document does not meet an example: a field that is missing, or of another type.
func broken(at string, example, got any) []string {
	if got == nil {
		return []string{at + " is missing"}
	}
	switch e := example.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %T, not an object", at, got)}
		}
		var out []string
		for _, k := range slices.Sorted(maps.Keys(e)) {
			out = append(out, broken(at+"."+k, e[k], g[k])...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s is %T, not an array", at, got)}
		}
		var out []string
		for i := range g {
			out = append(out, broken(fmt.Sprintf("%s[%d]", at, i), e[0], g[i])...)
		}
		return out
	case json.Number:
		if n, ok := got.(json.Number); !ok || strings.ContainsAny(string(n), ".eE") {
			return []string{fmt.Sprintf("%s is %v, not a whole number", at, got)}
		}
	case string:
		s, ok := got.(string)
		if !ok {
			return []string{fmt.Sprintf("%s is %T, not a text", at, got)}
		}
		if _, err := time.Parse(time.RFC3339, e); err == nil {
			if _, err := time.Parse(time.RFC3339, s); err != nil {
				return []string{fmt.Sprintf("%s is no time: %v", at, err)}
			}
		}
	case bool:
		if _, ok := got.(bool); !ok {
			return []string{fmt.Sprintf("%s is %T, not true or false", at, got)}
		}
	}
	return nil
}

// one decodes text that must be one JSON document and nothing after it.
func one(t *testing.T, text []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var doc map[string]any
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	if d.More() {
		t.Fatalf("more than one document: %.200s", text)
	}
	return doc
}

// command runs a command line in this process.
func command(t *testing.T, want int, args ...string) []byte {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(context.Background(), args, &out, &errOut); code != want {
		t.Fatalf("paytwice %s: exit code %d, want %d\n%s", strings.Join(args, " "), code, want, errOut.String())
	}
	return out.Bytes()
}

// TestDocuments holds every JSON document against the contract.
func TestDocuments(t *testing.T) {
	forTheGate(t)
	for name, c := range map[string]struct {
		args    string
		code    int
		example string
		under   string
	}{
		"matrix, kill":               {"matrix", 0, "matrix", ""},
		"matrix, simulate":           {"matrix --mode simulate", 0, "matrix", ""},
		"matrix, timeout":            {"matrix --mode simulate --point timeout", 0, "matrix", ""},
		"map":                        {"matrix --mode simulate --point after-write --provider larkfield,blind", 0, "map", ""},
		"explore":                    {"explore", 0, "explore", ""},
		"explore, violation":         {"explore --strategy naive-retry", 1, "explore", ""},
		"explore, undecided":         {"explore --max-runs 1", 4, "explore", ""},
		"explore, several":           {"explore --crashes 1 --strategy operation-id,naive-retry", 1, "explore", "runs"},
		"check":                      {"check refund", 0, "explore", "runs"},
		"check, violation":           {"check refund --strategy naive-retry", 1, "explore", "runs"},
		"show":                       {"show --point after-write --strategy naive-retry", 0, "history", ""},
		"show, simulate":             {"show --point timeout --strategy operation-id --mode simulate", 0, "history", ""},
		"replay":                     {"replay run", 0, "history", ""},
		"replay, violation":          {"replay --strategy naive-retry PLAN", 1, "history", ""},
		"points":                     {"points refund", 0, "points", ""},
		"points of another scenario": {"points batch", 0, "points", ""},
	} {
		t.Run(name, func(t *testing.T) {
			args := append(strings.Fields(c.args), "--format", "json")
			if i := slices.Index(args, "PLAN"); i > 0 {
				args[i] = "kill payment.request_refund/after#1"
			}
			doc := one(t, command(t, c.code, args...))
			d := json.NewDecoder(strings.NewReader(contract[c.example]))
			d.UseNumber()
			var example map[string]any
			if err := d.Decode(&example); err != nil {
				t.Fatal(err)
			}
			if c.under == "" {
				for _, b := range broken("", example, doc) {
					t.Error(b)
				}
				if want, ok := example["schema"]; ok && doc["schema"] != want {
					t.Errorf("schema %v, want %v", doc["schema"], want)
				}
				return
			}
			if doc["schema"] != "paytwice.explorations/1" {
				t.Errorf("schema %v", doc["schema"])
			}
			runs, _ := doc[c.under].([]any)
			if len(runs) != 2 {
				t.Fatalf("%d runs, want 2", len(runs))
			}
			for i, run := range runs {
				for _, b := range broken(fmt.Sprintf("runs[%d]", i), example, run) {
					t.Error(b)
				}
			}
		})
	}
}

// TestBroken sees the check fail.
func TestBroken(t *testing.T) {
	for got, want := range map[string]string{
		`{"a":1,"b":[{"c":"2026-10-09T17:00:00Z"}]}`: "",
		`{"a":1,"b":[],"more":0}`:                    "",
		`{"b":[]}`:                                   ".a is missing",
		`{"a":null,"b":[]}`:                          ".a is missing",
		`{"a":1.5,"b":[]}`:                           ".a is 1.5, not a whole number",
		`{"a":"1","b":[]}`:                           ".a is 1, not a whole number",
		`{"a":1,"b":{}}`:                             ".b is map[string]interface {}, not an array",
		`{"a":1,"b":[{}]}`:                           ".b[0].c is missing",
		`{"a":1,"b":[{"c":"2026-10-09T17:00:00Z"},{"c":true}]}`:                ".b[1].c is bool, not a text",
		`{"a":1,"b":[{"c":"yesterday"}]}`:                                      `.b[0].c is no time: parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`,
		`{"a":1,"b":[{"c":"2026-10-09T17:00:00Z"},{"c":"2026-10-09 17:00"}]} `: `.b[1].c is no time: parsing time "2026-10-09 17:00" as "2006-01-02T15:04:05Z07:00": cannot parse " 17:00" as "T"`,
	} {
		example := one(t, []byte(`{"a":1,"b":[{"c":"2026-10-09T17:00:00-04:00"}]}`))
		if text := strings.Join(broken("", example, one(t, []byte(got))), "; "); text != want {
			t.Errorf("%s: %q, want %q", got, text, want)
		}
	}
}

// cell is one cell of the contract, every field of it.
type cell struct {
	Ticket         string   `json:"ticket"`
	Action         int      `json:"action"`
	Tool           string   `json:"tool"`
	OperationID    string   `json:"operation_id"`
	Point          string   `json:"point"`
	Strategy       string   `json:"strategy"`
	Provider       string   `json:"provider"`
	Plan           string   `json:"plan"`
	Landed         bool     `json:"landed"`
	Effects        int      `json:"effects"`
	AmountCents    int64    `json:"amount_cents"`
	Currency       string   `json:"currency"`
	Calls          int      `json:"calls"`
	Lookups        int      `json:"lookups"`
	Incarnations   int      `json:"incarnations"`
	ModelCalls     int      `json:"model_calls"`
	Status         string   `json:"status"`
	HandedToPerson bool     `json:"handed_to_person"`
	Verdict        string   `json:"verdict"`
	Violations     []string `json:"violations"`
}

// TestMatrix_Cells checks every field of every cell of the lesson's table, in both modes.
func TestMatrix_Cells(t *testing.T) {
	forTheGate(t)
	want := func(point, strategy, plan string, effects, calls, lookups, lives int) cell {
		c := cell{Ticket: "T-90104", Action: 1, Tool: "request_refund", OperationID: "797fbb5bbb9f8a7e", Point: point, Strategy: strategy, Provider: "larkfield",
			Plan: plan, Landed: true, Effects: effects, AmountCents: int64(effects) * 995, Currency: "CAD", Calls: calls, Lookups: lookups, Incarnations: lives,
			ModelCalls: 2, Status: "done", Verdict: "pass", Violations: []string{}}
		if effects > 1 {
			c.Verdict, c.Violations = "violation", []string{"double-write"}
		}
		return c
	}
	const write = "payment.request_refund/"
	cells := []cell{
		want("before-write", "operation-id", "kill "+write+"before#1", 1, 1, 1, 2),
		want("during-call", "operation-id", "kill "+write+"during#1", 1, 1, 1, 2),
		want("timeout", "operation-id", "lose-response "+write+"during#1", 1, 1, 1, 1),
		want("after-write", "operation-id", "kill "+write+"after#1", 1, 1, 1, 2),
		want("before-write", "naive-retry", "kill "+write+"before#1", 1, 1, 0, 2),
		want("during-call", "naive-retry", "kill "+write+"during#1", 2, 2, 0, 2),
		want("timeout", "naive-retry", "lose-response "+write+"during#1", 2, 2, 0, 1),
		want("after-write", "naive-retry", "kill "+write+"after#1", 2, 2, 0, 2),
	}
	var standard []cell
	for _, c := range cells {
		if c.Point != "timeout" {
			standard = append(standard, c)
		}
	}
	for _, mode := range []string{"kill", "simulate"} {
		for points, want := range map[string][]cell{"": standard, "before-write,during-call,timeout,after-write": cells} {
			args := []string{"matrix", "--format", "json", "--seed", "7", "--mode", mode}
			if points != "" {
				args = append(args, "--point", points)
			}
			var m struct {
				Schema, Scenario, Mode string
				Seed                   int
				Cells                  []cell
				Summary                map[string]int
				Map                    []any
			}
			if err := json.Unmarshal(command(t, 0, args...), &m); err != nil {
				t.Fatal(err)
			}
			if m.Schema != "paytwice.matrix/1" || m.Scenario != "refund" || m.Mode != mode || m.Seed != 7 || m.Map != nil {
				t.Errorf("%s: head %s %s %s %d %v", mode, m.Schema, m.Scenario, m.Mode, m.Seed, m.Map)
			}
			if diff := cmp.Diff(want, m.Cells); diff != "" {
				t.Errorf("%s %q (-want +got):\n%s", mode, points, diff)
			}
			double := 2 + (len(want)-6)/2
			sum := map[string]int{"cells": len(want), "landed": len(want), "double_writes": double, "lost_writes": 0, "handed_to_person": 0, "undecided": 0}
			if diff := cmp.Diff(sum, m.Summary); diff != "" {
				t.Errorf("%s %q summary (-want +got):\n%s", mode, points, diff)
			}
		}
	}
}

// TestWorst: what kept the harness from its work comes before a violation, a violation before a bound.
func TestWorst(t *testing.T) {
	const (
		pass      = `{"complete":true}`
		violated  = `{"complete":true,"violations":[{"invariant":"double-write"}]}`
		bounded   = `{"complete":false,"left_out":"the bound"}`
		unreached = `{"complete":true,"unreached":["kill a.b/after#1"]}`
	)
	for runs, want := range map[string]int{
		"":                                   0,
		pass:                                 0,
		pass + "," + bounded:                 4,
		bounded + "," + violated:             1,
		violated + "," + bounded:             1,
		violated + "," + unreached:           3,
		unreached + "," + violated:           3,
		bounded + "," + pass + "," + bounded: 4,
	} {
		if got := codeOfWorst(t, "["+runs+"]"); got != want {
			t.Errorf("%s: exit code %d, want %d", runs, got, want)
		}
	}
}

func codeOfWorst(t *testing.T, runs string) int {
	t.Helper()
	var explorations []history.Exploration
	if err := json.Unmarshal([]byte(runs), &explorations); err != nil {
		t.Fatal(err)
	}
	err := worst(explorations)
	if err == nil {
		return 0
	}
	return exitCode(err)
}
