package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/paytwice/paytwice/resolver/agent"
)

// run is one line of decisions.jsonl.
type run struct {
	Ticket        string `json:"ticket"`
	Variant       string `json:"variant"`
	Model         string `json:"model"`
	Repeat        int    `json:"repeat"`
	Steps         []step `json:"steps"`
	Reconstructed bool   `json:"reconstructed"`
}

// step is one decision: a read with its arguments, or finish with a resolution.
type step struct {
	Plan       []string          `json:"plan"`
	Tool       string            `json:"tool"`
	Arguments  map[string]string `json:"arguments"`
	Resolution json.RawMessage   `json:"resolution"`
}

func (r run) name() string {
	return fmt.Sprintf("%s %s %s repeat %d", r.Ticket, r.Variant, r.Model, r.Repeat)
}

// readRuns reads decisions, one run a line. Errors name the line.
func readRuns(name string, src io.Reader) ([]run, error) {
	var runs []run
	lines := bufio.NewScanner(src)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		r := run{Reconstructed: true}
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if r.Ticket == "" || r.Repeat < 1 || len(r.Steps) == 0 {
			return nil, fmt.Errorf("%s:%d: a run has a ticket, a repeat from 1 and steps", name, n)
		}
		runs = append(runs, r)
	}
	return runs, lines.Err()
}

// toolCall is the step as the variant agent writes it: a tool and its arguments, JSON text.
func (s step) toolCall() (name, arguments string, err error) {
	if s.Tool == "finish" {
		var b bytes.Buffer
		err = json.Compact(&b, s.Resolution)
		return s.Tool, b.String(), err
	}
	arguments, err = encode(s.Arguments)
	if s.Arguments == nil {
		arguments = "{}"
	}
	return s.Tool, arguments, err
}

// content is the step as the variant agent_structured writes it.
func (s step) content() (string, error) {
	object := struct {
		Plan       []string        `json:"plan"`
		Tool       string          `json:"tool"`
		OrderID    *string         `json:"order_id"`
		Query      *string         `json:"query"`
		Resolution json.RawMessage `json:"resolution"`
	}{Plan: s.Plan, Tool: s.Tool, Resolution: s.Resolution}
	if object.Plan == nil {
		object.Plan = []string{}
	}
	if orderID, ok := s.Arguments["order_id"]; ok {
		object.OrderID = &orderID
	}
	if query, ok := s.Arguments["query"]; ok {
		object.Query = &query
	}
	return encode(object)
}

func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return string(bytes.TrimRight(b.Bytes(), "\n")), err
}

// structured reports whether the run's model answers with one JSON object.
func (r run) structured() bool { return r.Variant == agent.VariantStructured }
