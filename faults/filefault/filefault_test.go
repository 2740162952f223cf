package filefault_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/filefault"
)

// save replaces a file as one should: a new file, synced, renamed over the old one.
func save(files *filefault.Files, path, text string) error {
	file, err := files.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return errors.Join(err, files.Remove(path+".new"))
	}
	return files.Rename(path+".new", path)
}

var savePoints = []string{
	"file.create/before#1", "file.create/after#1", "file.write/before#1", "file.write/after#1",
	"file.sync/before#1", "file.sync/after#1", "file.rename/before#1", "file.rename/after#1",
}

// content is the old file and, where there is one, the unfinished new one.
func content(t *testing.T, path string) string {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unfinished, err := os.ReadFile(path + ".new")
	if errors.Is(err, fs.ErrNotExist) {
		return string(old)
	}
	return string(old) + " + " + string(unfinished)
}

func TestFS_CrashAtEachPoint(t *testing.T) {
	want := []string{"old", "old + ", "old + ", "old + new", "old + new", "old + new", "old + new", "new"}
	for i, text := range savePoints {
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		point, err := faults.ParsePoint(text)
		if err != nil {
			t.Fatal(err)
		}
		in := faults.NewInjector(faults.Life{faults.KillAt(point)}, faults.Options{})
		files := filefault.FS(in)
		at, crashed, err := in.Catch(func() error { return save(files, path, "new") })
		if !crashed || at != point {
			t.Errorf("%s: crashed %v at %s, error %v", text, crashed, at, err)
		}
		if got := content(t, path); got != want[i] {
			t.Errorf("%s: %q, want %q", text, got, want[i])
		}
		for name, err := range map[string]error{
			"remove": files.Remove(path), "write": files.WriteFile(path, nil, 0o600), "read": second(files.ReadFile(path)), "open": second(files.Open(path)),
		} {
			if !errors.Is(err, faults.ErrCrashed) {
				t.Errorf("%s: a dead process's %s ended with %v", text, name, err)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestFS_Faults(t *testing.T) {
	for _, c := range []struct {
		life, content string
		want          error
	}{
		{"run", "new", nil},
		{"lose-request file.write/during#1", "old", faults.ErrNoAnswer},
		{"lose-response file.write/during#1", "old", faults.ErrNoAnswer},
		{"refuse file.create/during#1", "old", faults.ErrRefused},
		{"lose-response file.create/during#1", "old + ", faults.ErrNoAnswer},
		{"unavailable file.sync/during#1", "old", faults.ErrUnavailable},
		{"lose-request file.rename/during#1", "old + new", faults.ErrNoAnswer},
		{"lose-response file.rename/during#1", "new", faults.ErrNoAnswer},
		{"refuse file.sync/during#1, refuse file.remove/during#1", "old + new", faults.ErrRefused},
	} {
		t.Run(c.life, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state")
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			plan, err := faults.Parse(c.life)
			if err != nil {
				t.Fatal(err)
			}
			in := faults.NewInjector(plan.Life(0), faults.Options{})
			err = save(filefault.FS(in), path, "new")
			var pathErr *fs.PathError
			if !errors.Is(err, c.want) || err != nil && !errors.As(err, &pathErr) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if got := content(t, path); got != c.content {
				t.Errorf("%q, want %q", got, c.content)
			}
			if left := in.Unreached(); len(left) > 0 {
				t.Errorf("never struck: %v", left)
			}
		})
	}
}

func TestFS_PointsOfEveryCall(t *testing.T) {
	folder := t.TempDir()
	var trace faults.Trace
	files := filefault.FS(faults.NewInjector(nil, faults.Options{Pass: trace.Pass}))
	in := func(name string) string { return filepath.Join(folder, name) }
	file, err := files.OpenFile(in("a"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err1 := file.WriteAt([]byte("x"), 3)
	_, err2 := io.Copy(file, strings.NewReader("copied"))
	_, err3 := file.Seek(0, io.SeekStart)
	_, err4 := io.ReadAll(file)
	_, err5 := file.Stat()
	_, err6 := file.ReadAt(make([]byte, 1), 0)
	err = errors.Join(err1, err2, err3, err4, err5, err6, file.Truncate(1), file.Close(), files.Mkdir(in("d"), 0o700),
		files.MkdirAll(in("e/f"), 0o700), files.RemoveAll(in("e")), second(files.Open(in("a"))), second(files.CreateTemp(folder, "t*")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range trace.Points() {
		if p.Position == faults.Before {
			got = append(got, p.Site.String())
		}
	}
	want := []string{"file.create", "file.write", "file.write", "file.write", "file.create", "file.create", "file.remove", "file.create"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

// A full disk's own error stays what it is.
func TestFS_OwnErrors(t *testing.T) {
	files := filefault.FS(faults.NewInjector(nil, faults.Options{}))
	_, err := files.Create(filepath.Join(t.TempDir(), "missing", "file"))
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "open") != 1 {
		t.Errorf("error %v", err)
	}
}
