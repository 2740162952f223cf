package larkfield

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

//go:embed data/*.csv data/tasks.jsonl data/policy.md data/recordings
var embedded embed.FS

// RecordingsDir is the folder of the recordings, below the folder of the other files.
const RecordingsDir = "recordings"

// Embedded returns the embedded files, with the tables, tasks.jsonl and policy.md at the root.
func Embedded() fs.FS {
	sub, err := fs.Sub(embedded, "data")
	if err != nil {
		panic(err) // The name is a constant.
	}
	return sub
}

// The embedded files can't be wrong in a build that passed its tests, so a reader that fails here panics.
// Each part is read once, when it is first asked for: most commands need only some of them.
var (
	dataset    = sync.OnceValue(func() *Data { return must(LoadData(Embedded())) })
	tasks      = sync.OnceValue(func() []Task { return must(LoadTasks(Embedded())) })
	taskIndex  = sync.OnceValue(func() map[string]int { return indexTasks(tasks()) })
	policy     = sync.OnceValue(func() []resolver.Passage { return must(LoadPolicy(Embedded())) })
	recordings = sync.OnceValue(func() *agent.Recordings { return must(agent.LoadRecordings(Embedded(), RecordingsDir)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("embedded data: %v", err))
	}
	return v
}

// Dataset returns the embedded tables. Everybody shares them: don't change a row.
//
// Concurrency: safe; so are the other readers of embedded files.
func Dataset() *Data { return dataset() }

// Tasks returns the embedded tickets in the course's order. Everybody shares them: don't change one.
func Tasks() []Task { return tasks() }

// TaskByID returns an embedded ticket; ok is false when there is none of that id.
func TaskByID(id string) (task Task, ok bool) {
	i, ok := taskIndex()[id]
	if !ok {
		return Task{}, false
	}
	return Tasks()[i], true
}

func indexTasks(tasks []Task) map[string]int {
	index := make(map[string]int, len(tasks))
	for i, t := range tasks {
		index[t.ID] = i
	}
	return index
}

// Policy returns the embedded policy passages in the order of policy.md. Don't change one.
func Policy() []resolver.Passage { return policy() }

// Recordings returns the embedded recordings.
func Recordings() *agent.Recordings { return recordings() }

// Model returns the embedded recordings as a model that reads them when it is first asked, so that a
// command that never asks does not pay for it.
func Model() resolver.Model { return lazyModel{} }

type lazyModel struct{}

func (lazyModel) Complete(ctx context.Context, r resolver.ModelRequest) (resolver.ModelResponse, error) {
	return Recordings().Complete(ctx, r)
}
