package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
)

// file is one file of recordings.
type file struct {
	name string
	data []byte
}

// record runs every run and returns the files, one for each variant and model, in the order in which they
// first appear.
//
// Errors: a run that the loop does not end just as its decisions say is one: a recording must not hold a
// step that the product refuses.
func record(runs []run) ([]file, error) {
	start, err := time.Parse(time.RFC3339, agent.Today+"T13:00:00Z")
	if err != nil {
		return nil, err
	}
	var names []string
	lines := map[string]*bytes.Buffer{}
	at := &clock{now: start}
	world := practice(at.Now)
	for _, r := range runs {
		name := r.Variant + "-" + r.Model + ".jsonl.gz"
		if lines[name] == nil {
			lines[name] = &bytes.Buffer{}
			names = append(names, name)
		}
		if err := recordRun(r, lines[name], world, at); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name(), err)
		}
	}
	files := make([]file, 0, len(names))
	for _, name := range names {
		data, err := pack(lines[name].Bytes())
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, data})
	}
	return files, nil
}

func recordRun(r run, out *bytes.Buffer, world *services.Memory, at *clock) error {
	task, ok := larkfield.TaskByID(r.Ticket)
	if !ok {
		return fmt.Errorf("no such ticket")
	}
	model := &script{run: r, clock: at}
	recorder := &agent.Recorder{Model: model, Out: out, Clock: at, Reconstructed: r.Reconstructed}
	loop := &agent.Loop{Model: recorder, Services: world.Services(caller(task, r.name()))}
	s := resolver.NewState(task.Ticket, resolver.RunID(r.Ticket, r.Variant, r.Model, 1), r.Variant, r.Model, r.Repeat)
	if err := loop.Run(context.Background(), task.Ticket, s, nil); err != nil {
		return err
	}
	if err := recorder.Err(); err != nil {
		return err
	}
	if s.StopReason != agent.StopFinished || model.asked != len(r.Steps) || s.Step != len(r.Steps) {
		return fmt.Errorf("the loop ended with %s after %d of %d steps: %v", s.StopReason, s.Step, len(r.Steps), s.Events)
	}
	if agent.ToolCalls(s) != len(s.Evidence) {
		return fmt.Errorf("a step was refused: %v", s.Events)
	}
	return nil
}

// pack compresses without a time or a name, so that the same lines give the same bytes.
func pack(lines []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(lines); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
