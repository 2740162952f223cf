package course

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

// Read reads a learner's copy of the course project: data with the tickets, the tables (as CSV files or in
// larkfield.sqlite) and the policy, and recordings. The whole of it is checked before anything is kept.
//
// Errors: name the file, and the line where there is one. Nothing is written.
func Read(ctx context.Context, folder string) (*Import, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder; give the course folder, which holds data and recordings", folder)
	}
	r := &reader{folder: folder, archive: newArchive()}
	for _, read := range []func(context.Context) error{r.readTasks, r.readTables, r.readPolicy, r.readRecordings} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	return r.finish()
}

// Import is a course that was read and checked, and not kept yet.
type Import struct {
	*Course
	content []byte
}

// Keep writes the import into a work folder, in the place of an earlier one. A process that is killed here
// leaves the old one or the new one.
func (i *Import) Keep(dir string) error {
	path := filepath.Join(dir, File)
	temp, err := os.CreateTemp(dir, File+".new-*")
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer os.Remove(temp.Name()) // After the rename there is nothing of that name.
	_, err = temp.Write(i.content)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return nil
}

// reader collects the parts of a course in an archive.
type reader struct {
	folder  string
	archive *archive
}

const (
	dataDir = "data"
	// maxFileBytes bounds a file of the course; the largest recordings have a few megabytes.
	maxFileBytes = 256 << 20
)

func (r *reader) data(name string) string { return filepath.Join(r.folder, dataDir, name) }

// file returns the content of a file.
func (r *reader) file(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing", path)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s has %d bytes, more than %d", path, info.Size(), maxFileBytes)
	}
	return os.ReadFile(path)
}

func (r *reader) readTasks(context.Context) error {
	path := r.data(larkfield.TasksFile)
	content, err := r.file(path)
	if err != nil {
		return err
	}
	tasks, err := larkfield.ParseTasks(path, strings.NewReader(string(content)))
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		return fmt.Errorf("%s holds no ticket", path)
	}
	return r.archive.add(larkfield.TasksFile, content)
}

// finish closes the archive and reads everything back from it, as every later command will.
func (r *reader) finish() (*Import, error) {
	content, err := r.archive.close()
	if err != nil {
		return nil, err
	}
	c, err := fromArchive(content)
	if err != nil {
		return nil, err
	}
	if _, err := c.Tasks(); err != nil {
		return nil, err
	}
	if _, err := c.Policy(); err != nil {
		return nil, err
	}
	if _, err := c.Data(); err != nil {
		// Rows that don't fit together: their tables are named, and all of them come from this folder.
		return nil, fmt.Errorf("%s: %w", filepath.Join(r.folder, dataDir), err)
	}
	if _, err := c.Recordings(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.folder, err)
	}
	return &Import{Course: c, content: content}, nil
}
