//go:build unix

package child_test

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
)

// listing describes a folder: each name with its kind and mode, its time, and its content or target.
func listing(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		line := fmt.Sprint(name, " ", info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, _ := os.ReadFile(path)
			line += fmt.Sprintf(" %s %q", info.ModTime(), data)
		case info.Mode().Type() == fs.ModeSymlink:
			target, _ := os.Readlink(path)
			line += " to " + target
		default:
			line += fmt.Sprint(" ", info.ModTime())
		}
		out = append(out, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCopyFolder(t *testing.T) {
	root, err := child.CaseFolder() // its path is short enough for a socket's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	from, to := filepath.Join(root, "from"), filepath.Join(root, "to")
	must := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	must(os.Mkdir(from, 0o750), os.Mkdir(to, 0o755), os.Mkdir(filepath.Join(from, "sub"), 0o700),
		os.WriteFile(filepath.Join(from, "secret"), []byte("a"), 0o600), os.WriteFile(filepath.Join(from, "sub", "tool"), nil, 0o600),
		os.Chmod(filepath.Join(from, "sub", "tool"), 0o777|fs.ModeSetgid),
		os.Symlink("nowhere/at all", filepath.Join(from, "link")), syscall.Mkfifo(filepath.Join(from, "pipe"), 0o640))
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(from, "socket"), Net: "unix"})
	must(err)
	l.SetUnlinkOnClose(false)
	must(l.Close())
	old := time.Date(2020, time.May, 1, 2, 3, 4, 5000, time.UTC)
	must(os.Chtimes(filepath.Join(from, "secret"), old, old), os.Chmod(filepath.Join(from, "sub"), 0o500), os.Chtimes(filepath.Join(from, "sub"), old, old))
	defer os.Chmod(filepath.Join(to, "sub"), 0o700)
	defer os.Chmod(filepath.Join(from, "sub"), 0o700)
	must(child.CopyFolder(to, from))
	same(t, "copy", listing(t, to), listing(t, from))
	if _, err := net.Dial("unix", filepath.Join(to, "socket")); err == nil {
		t.Error("somebody listens at the copy of a socket")
	}
}
