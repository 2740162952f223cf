package filefault

import (
	"context"
	"io/fs"
	"os"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/seam"
)

// Files are the operations on files. With an injector they pass its points.
//
// Concurrency: safe, as package os is.
type Files struct{ in *faults.Injector }

// FS returns operations that ask the injector; with nil, the one that the process has armed, if any. Built
// with paytwice_off they are those of package os and nothing else.
func FS(in *faults.Injector) *Files { return &Files{in} }

// Create is os.Create.
func (f *Files) Create(name string) (*File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Open is os.Open. It has no point.
func (f *Files) Open(name string) (*File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile is os.OpenFile. With os.O_CREATE or os.O_TRUNC it is file.create, else it has no point.
func (f *Files) OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	var file *os.File
	open := func() (err error) { file, err = os.OpenFile(name, flag, perm); return err }
	err := f.refused("open", name)
	switch {
	case err != nil:
	case flag&(os.O_CREATE|os.O_TRUNC) != 0:
		err = f.change("create", "open", name, open)
	default:
		err = open()
	}
	if err != nil {
		if file != nil {
			_ = file.Close() // its answer was lost
		}
		return nil, err
	}
	return &File{file, f}, nil
}

// CreateTemp is os.CreateTemp, file.create.
func (f *Files) CreateTemp(dir, pattern string) (*File, error) {
	var file *os.File
	err := f.change("create", "createtemp", pattern, func() (err error) { file, err = os.CreateTemp(dir, pattern); return err })
	if err != nil {
		if file != nil {
			_ = file.Close()
		}
		return nil, err
	}
	return &File{file, f}, nil
}

// WriteFile is os.WriteFile: a file.create and a file.write, so that a kill between leaves an empty file.
func (f *Files) WriteFile(name string, data []byte, perm fs.FileMode) error {
	file, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}

// ReadFile is os.ReadFile. It has no point.
func (f *Files) ReadFile(name string) ([]byte, error) {
	if err := f.refused("open", name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// Mkdir is os.Mkdir, file.create.
func (f *Files) Mkdir(name string, perm fs.FileMode) error {
	return f.change("create", "mkdir", name, func() error { return os.Mkdir(name, perm) })
}

// MkdirAll is os.MkdirAll, one file.create however many directories it makes.
func (f *Files) MkdirAll(name string, perm fs.FileMode) error {
	return f.change("create", "mkdir", name, func() error { return os.MkdirAll(name, perm) })
}

// Rename is os.Rename, file.rename.
func (f *Files) Rename(from, to string) error {
	return f.change("rename", "rename", from, func() error { return os.Rename(from, to) })
}

// Remove is os.Remove, file.remove.
func (f *Files) Remove(name string) error {
	return f.change("remove", "remove", name, func() error { return os.Remove(name) })
}

// RemoveAll is os.RemoveAll, one file.remove however much it removes.
func (f *Files) RemoveAll(name string) error {
	return f.change("remove", "removeall", name, func() error { return os.RemoveAll(name) })
}

// change makes a call past its points. What the call itself returns is passed on as it is.
func (f *Files) change(operation, call, name string, do func() error) error {
	if faults.Off {
		return do()
	}
	in := seam.Injector(f.in, context.Background())
	if in == nil {
		return do()
	}
	made := false
	struck, err := seam.Around(in, faults.Site{Seam: "file", Operation: operation}, func() error { made = true; return do() })
	if err != nil && (struck != "" || !made) {
		return &fs.PathError{Op: call, Path: name, Err: err}
	}
	return err
}

// refused returns why a call without points may not be made.
func (f *Files) refused(call, name string) error {
	if faults.Off {
		return nil
	}
	if in := seam.Injector(f.in, context.Background()); in != nil && in.Dead() {
		return &fs.PathError{Op: call, Path: name, Err: faults.ErrCrashed}
	}
	return nil
}
