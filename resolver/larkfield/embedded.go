package larkfield

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
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
	taskByID   = forEach(readTask)
	policy     = sync.OnceValue(func() []resolver.Passage { return must(LoadPolicy(Embedded())) })
	recordings = sync.OnceValue(func() *agent.Recordings { return must(agent.LoadRecordings(Embedded(), RecordingsDir)) })
	callsOf    = forEach(func(ticket string) *agent.Recordings { return must(readCalls(ticket)) })
)

// forEach keeps what read returns for each name.
func forEach[T any](read func(name string) T) func(name string) T {
	var kept sync.Map
	return func(name string) T {
		once, ok := kept.Load(name) // first, since every simulated life asks
		if !ok {
			once, _ = kept.LoadOrStore(name, sync.OnceValue(func() T { return read(name) }))
		}
		return once.(func() T)()
	}
}

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

// TaskByID returns an embedded ticket; ok is false when there is none of that id. It reads that ticket
// alone: a process that is started to be killed needs no other.
func TaskByID(id string) (task Task, ok bool) {
	task = taskByID(id)
	return task, task.ID != ""
}

// readTask returns the zero task where there is none.
func readTask(id string) Task {
	name := []byte(strconv.Quote(id))
	file := must(Embedded().Open(TasksFile))
	defer file.Close()
	lines := bufio.NewScanner(file) // line by line: what is read whole is copied whole
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), name) {
			continue
		}
		if task := must(parseTask(lines.Bytes())); task.ID == id {
			return task
		}
	}
	return must(Task{}, lines.Err())
}

// Policy returns the embedded policy passages in the order of policy.md. Don't change one.
func Policy() []resolver.Passage { return policy() }

// Recordings returns the embedded recordings, of every ticket.
func Recordings() *agent.Recordings { return recordings() }

// RecordingsOf returns the embedded recordings of one ticket, many times faster than Recordings.
func RecordingsOf(ticket string) *agent.Recordings { return callsOf(ticket) }

// metaEnds is where the meta of a line has ended at the latest.
const metaEnds = 200

// readCalls unpacks everything and keeps what is the ticket's: kept whole it would weigh more than all else
// in the process.
func readCalls(ticket string) (*agent.Recordings, error) {
	meta := []byte(`"task_id":` + strconv.Quote(ticket))
	var own []byte
	files, err := fs.Glob(Embedded(), RecordingsDir+"/*.jsonl.gz")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		packed, err := Embedded().Open(name)
		if err != nil {
			return nil, err
		}
		text, err := gzip.NewReader(packed)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(text)
		lines.Buffer(make([]byte, 0, 64<<10), maxLine)
		for lines.Scan() {
			if line := lines.Bytes(); bytes.Contains(line[:min(len(line), metaEnds)], meta) {
				own = append(append(own, line...), '\n')
			}
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	r := agent.NewRecordings()
	return r, r.Add(RecordingsDir, bytes.NewReader(own))
}

// Model returns the embedded recordings as a model that reads them when it is first asked, so that a
// command that never asks does not pay for it.
func Model() resolver.Model { return lazyModel{} }

type lazyModel struct{}

func (lazyModel) Complete(ctx context.Context, r resolver.ModelRequest) (resolver.ModelResponse, error) {
	return RecordingsOf(r.TicketID).Complete(ctx, r)
}
