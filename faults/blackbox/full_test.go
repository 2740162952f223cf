//go:build linux && amd64

package blackbox_test

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// A recovery that fails on a full disk says nothing of the program.
func TestSweep_FullDisk(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("none", small, "tmpfs", 0, "size=500k"); err != nil {
		t.Skipf("only who may mount has a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, 0) })
	cfg := target(t)
	cfg.WorkDir = small
	cfg.Command = []string{"/bin/sh", "-c", "test -s f || { head -c 300000 /dev/zero >large && echo x >f; }"}
	cfg.ExactlyOnce, cfg.Workers = "f", 2
	r, err := blackbox.Sweep(context.Background(), cfg)
	var early *blackbox.NotReachedError // as long as none fails in its recovery
	if !errors.Is(err, blackbox.ErrFull) && !errors.As(err, &early) || len(r.Violations) > 0 {
		t.Errorf("%v, %+v", err, r)
	}
}
