package checkpoint_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// A killed process that nobody has asked for yet is a corpse: its pid is taken, and it holds nothing.
func TestAlive_Corpse(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "runs.sqlite"), checkpoint.Options{Clock: wallClock{}})
	defer func() { _ = s.Close() }()
	created(t, s, "r-1")
	p := start(t, "hold", s.Path())
	p.begin()
	same(t, "child", p.line(t), "token 1")
	img, _ := s.Image(ctx)
	holder := img.Leases[0].Holder
	same(t, "alive", checkpoint.Alive(holder), true)
	_ = p.cmd.Process.Kill()
	for range maxTries { // The kill is on its way; nobody waits for the process meanwhile.
		if !checkpoint.Alive(holder) {
			break
		}
		runtime.Gosched()
	}
	same(t, "alive once killed", checkpoint.Alive(holder), false)
	same(t, "its pid is taken", syscall.Kill(holder.PID, 0), error(nil))
}

// unprivileged runs f as a user who owns nothing, so that permissions mean something for root as well.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
	defer func() { _, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0) }()
	f()
}

func TestReadOnlyFolder(t *testing.T) {
	dir, err := os.MkdirTemp("", "checkpoint")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700); _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "runs.sqlite")
	s := openAt(t, path, checkpoint.Options{Clock: newClock()})
	created(t, s, "r-1")
	_ = s.Close()
	for _, name := range []string{path, dir} {
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	unprivileged(t, func() {
		_, err := checkpoint.Open(filepath.Join(dir, "new.sqlite"), checkpoint.Options{Clock: newClock()})
		names(t, err, checkpoint.ErrNotWritable, "new.sqlite", "check that the folder")

		// The file alone may be written: reading works, the journal has no place.
		s := openAt(t, path, checkpoint.Options{Clock: newClock()})
		defer func() { _ = s.Close() }()
		if _, err := s.Load(ctx, "r-1"); err != nil {
			t.Errorf("load: %v", err)
		}
		_, err = s.Acquire(ctx, "r-1", holder(1), 1)
		names(t, err, checkpoint.ErrNotWritable, path)
	})
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	unprivileged(t, func() {
		s := openAt(t, path, checkpoint.Options{Clock: newClock()})
		defer func() { _ = s.Close() }()
		if st, err := s.Load(ctx, "r-1"); err != nil || st.Version != 1 {
			t.Errorf("load: %v", err)
		}
		_, err := s.Acquire(ctx, "r-1", holder(1), 1)
		names(t, err, checkpoint.ErrNotWritable, path)
	})
	s = openAt(t, path, checkpoint.Options{Clock: newClock()})
	defer func() { _ = s.Close() }()
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}
