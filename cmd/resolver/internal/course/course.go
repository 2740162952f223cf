package course

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// File is the imported copy, in the work folder.
const File = "imported.zip"

// policyFile holds the passages in the archive, one JSON list.
const policyFile = "policy.json"

// Course is the data and the decisions of one work folder. Each part is read when it is first asked for:
// most commands need only some of them.
//
// Errors of every reader: for a copy that was damaged since its import, with the file's name.
// Concurrency: safe.
type Course struct {
	// Imported is the file that the course was read from, empty for the embedded one.
	Imported string

	tasks  func() ([]larkfield.Task, error)
	data   func() (*larkfield.Data, error)
	policy func() ([]resolver.Passage, error)
	calls  func() (*agent.Recordings, error)
	// callsOf is calls, or only those of one ticket where that is faster.
	callsOf func(ticket string) (*agent.Recordings, error)
}

// Open returns the course of a work folder: the imported one if there is one, else the embedded one.
func Open(dir string) (*Course, error) {
	path := filepath.Join(dir, File)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return embedded(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("work folder %s can't be read: %w; choose another with --dir or RESOLVER_DIR", dir, err)
	}
	c, err := fromArchive(content)
	if err != nil {
		return nil, damaged(path, err)
	}
	c.Imported = path
	c.tasks, c.data = named(path, c.tasks), named(path, c.data)
	c.policy, c.calls = named(path, c.policy), named(path, c.calls)
	return c, nil
}

func damaged(path string, err error) error {
	return fmt.Errorf("%s: %w; import the course again, or remove the file to use the embedded one", path, err)
}

func named[T any](path string, read func() (T, error)) func() (T, error) {
	return func() (T, error) {
		v, err := read()
		if err != nil {
			err = damaged(path, err)
		}
		return v, err
	}
}

func embedded() *Course {
	return &Course{
		tasks:   func() ([]larkfield.Task, error) { return larkfield.Tasks(), nil },
		data:    func() (*larkfield.Data, error) { return larkfield.Dataset(), nil },
		policy:  func() ([]resolver.Passage, error) { return larkfield.Policy(), nil },
		calls:   func() (*agent.Recordings, error) { return larkfield.Recordings(), nil },
		callsOf: func(ticket string) (*agent.Recordings, error) { return larkfield.RecordingsOf(ticket), nil },
	}
}

func fromArchive(content []byte) (*Course, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	return &Course{
		tasks:  sync.OnceValues(func() ([]larkfield.Task, error) { return larkfield.LoadTasks(archive) }),
		data:   sync.OnceValues(func() (*larkfield.Data, error) { return larkfield.LoadData(archive) }),
		policy: sync.OnceValues(func() ([]resolver.Passage, error) { return readPassages(archive) }),
		calls: sync.OnceValues(func() (*agent.Recordings, error) {
			return agent.LoadRecordings(archive, larkfield.RecordingsDir)
		}),
	}, nil
}

func readPassages(archive fs.FS) ([]resolver.Passage, error) {
	text, err := fs.ReadFile(archive, policyFile)
	if err != nil {
		return nil, err
	}
	var passages []resolver.Passage
	if err := json.Unmarshal(text, &passages); err != nil {
		return nil, fmt.Errorf("%s: %w", policyFile, err)
	}
	return passages, nil
}

// Tasks returns the tickets in the course's order. Everybody shares them: don't change one.
func (c *Course) Tasks() ([]larkfield.Task, error) { return c.tasks() }

// Task returns the ticket of an id; found is false when there is none.
func (c *Course) Task(id string) (task larkfield.Task, found bool, err error) {
	tasks, err := c.tasks()
	if err != nil {
		return larkfield.Task{}, false, err
	}
	i := slices.IndexFunc(tasks, func(t larkfield.Task) bool { return t.ID == id })
	if i < 0 {
		return larkfield.Task{}, false, nil
	}
	return tasks[i], true, nil
}

// Data returns what the practice services hold before the first change.
func (c *Course) Data() (*larkfield.Data, error) { return c.data() }

// Policy returns the passages that search_policy searches.
func (c *Course) Policy() ([]resolver.Passage, error) { return c.policy() }

// Recordings returns the recorded decisions.
func (c *Course) Recordings() (*agent.Recordings, error) { return c.calls() }

// RecordingsOf returns the recorded decisions of one ticket, and it may be more.
func (c *Course) RecordingsOf(ticket string) (*agent.Recordings, error) {
	if c.callsOf == nil {
		return c.calls()
	}
	return c.callsOf(ticket)
}

// Model returns the recordings as a model that reads them when it is first asked.
func (c *Course) Model() resolver.Model { return model{c} }

type model struct{ course *Course }

func (m model) Complete(ctx context.Context, r resolver.ModelRequest) (resolver.ModelResponse, error) {
	calls, err := m.course.RecordingsOf(r.TicketID)
	if err != nil {
		return resolver.ModelResponse{}, err
	}
	return calls.Complete(ctx, r)
}
