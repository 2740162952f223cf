package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Texts are the durable texts of a small program or of the world outside it, by name: plain files, and
// under names that end in SQLiteSuffix one text each in a database. A change is whole or not at all.
type Texts interface {
	// Read returns a text; ok is false if there is none.
	Read(ctx context.Context, name string) (text string, ok bool, err error)
	// Replace puts a text in the place of another.
	Replace(ctx context.Context, name, text string) error
	// Append adds to the end of a text, which is made if there is none.
	Append(ctx context.Context, name, more string) error
	// Update replaces a text by what change makes of it, in one transaction where the text is in a
	// database. An error of change leaves everything as it was, and is returned.
	Update(ctx context.Context, name string, change func(old string) (string, error)) error
}

// SQLiteSuffix ends the name of a text that is kept in a database.
const SQLiteSuffix = ".sqlite"

// Memory are texts in memory. A snapshot is never changed. The zero Memory is empty and ready.
//
// Concurrency: one goroutine at a time.
type Memory struct {
	texts map[string]string
	// changes counts what was done, so that whoever holds a snapshot can tell that it is the latest.
	changes int
}

// Snapshot returns all texts. Restore puts them back.
func (m *Memory) Snapshot() map[string]string { return m.texts }

// Restore makes a snapshot the texts that there are.
func (m *Memory) Restore(texts map[string]string) {
	m.texts = texts
	m.changes++
}

// Read implements Texts.
func (m *Memory) Read(_ context.Context, name string) (string, bool, error) {
	text, ok := m.texts[name]
	return text, ok, nil
}

// Replace implements Texts.
func (m *Memory) Replace(_ context.Context, name, text string) error {
	changed := make(map[string]string, len(m.texts)+1)
	maps.Copy(changed, m.texts)
	changed[name] = text
	m.Restore(changed)
	return nil
}

// Append implements Texts.
func (m *Memory) Append(ctx context.Context, name, more string) error {
	return m.Replace(ctx, name, m.texts[name]+more)
}

// Update implements Texts.
func (m *Memory) Update(ctx context.Context, name string, change func(string) (string, error)) error {
	text, err := change(m.texts[name])
	if err != nil {
		return err
	}
	return m.Replace(ctx, name, text)
}

// Folder are texts in a folder. Close it: it holds the databases open.
//
// Concurrency: safe for texts in databases; plain files are for one writer.
type Folder struct {
	dir string

	mu   sync.Mutex
	open map[string]*database
}

// NewFolder returns the texts in a folder that exists.
func NewFolder(dir string) *Folder { return &Folder{dir: dir, open: map[string]*database{}} }

// Close closes the databases.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var failed error
	for name, d := range f.open {
		failed = errors.Join(failed, d.close())
		delete(f.open, name)
	}
	return failed
}

// database returns the open database of a text.
func (f *Folder) database(ctx context.Context, name string) (*database, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d := f.open[name]; d != nil {
		return d, nil
	}
	d, err := openDatabase(ctx, filepath.Join(f.dir, name))
	if err == nil {
		f.open[name] = d
	}
	return d, err
}

// Read implements Texts.
func (f *Folder) Read(ctx context.Context, name string) (string, bool, error) {
	if strings.HasSuffix(name, SQLiteSuffix) {
		d, err := f.database(ctx, name)
		if err != nil {
			return "", false, err
		}
		return d.read(ctx)
	}
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(text), err == nil, err
}

// Replace implements Texts. A file is written beside its place, and moved there once it is on disk.
func (f *Folder) Replace(ctx context.Context, name, text string) error {
	if strings.HasSuffix(name, SQLiteSuffix) {
		return f.Update(ctx, name, func(string) (string, error) { return text, nil })
	}
	path := filepath.Join(f.dir, name)
	if err := write(path+".new", text, os.O_CREATE|os.O_WRONLY|os.O_TRUNC); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Append implements Texts.
func (f *Folder) Append(ctx context.Context, name, more string) error {
	if strings.HasSuffix(name, SQLiteSuffix) {
		return f.Update(ctx, name, func(old string) (string, error) { return old + more, nil })
	}
	return write(filepath.Join(f.dir, name), more, os.O_CREATE|os.O_WRONLY|os.O_APPEND)
}

// write writes a text and makes sure that it is on disk.
func write(path, text string, flags int) error {
	file, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// Update implements Texts.
func (f *Folder) Update(ctx context.Context, name string, change func(string) (string, error)) error {
	if strings.HasSuffix(name, SQLiteSuffix) {
		d, err := f.database(ctx, name)
		if err != nil {
			return err
		}
		return d.update(ctx, change)
	}
	old, _, err := f.Read(ctx, name)
	if err != nil {
		return err
	}
	text, err := change(old)
	if err != nil {
		return err
	}
	return f.Replace(ctx, name, text)
}

// All returns every text in the folder.
func (f *Folder) All(ctx context.Context) (map[string]string, error) {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasSuffix(e.Name(), SQLiteSuffix+"-journal") {
			continue
		}
		text, ok, err := f.Read(ctx, e.Name())
		if err != nil {
			return nil, err
		}
		if ok {
			all[e.Name()] = text
		}
	}
	return all, nil
}

// ReadValue returns a text as the JSON value that it is, the zero value if there is none.
func ReadValue[T any](ctx context.Context, t Texts, name string) (T, error) {
	text, _, err := t.Read(ctx, name)
	if err != nil {
		var none T
		return none, err
	}
	return Value[T](name, text)
}

// Value returns the JSON value of a text, the zero value if it is empty.
func Value[T any](name, text string) (T, error) {
	var value T
	if text == "" {
		return value, nil
	}
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return value, fmt.Errorf("%s can't be read: %w", name, err)
	}
	return value, nil
}

// UpdateValue changes a text as the JSON value that it is. An error of change leaves it as it was.
func UpdateValue[T any](ctx context.Context, t Texts, name string, change func(*T) error) error {
	return t.Update(ctx, name, func(old string) (string, error) {
		value, err := Value[T](name, old)
		if err != nil {
			return "", err
		}
		if err := change(&value); err != nil {
			return "", err
		}
		text, err := json.Marshal(value)
		return string(text), err
	})
}
