//go:build linux && amd64

package blackbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the number of the user without rights, on any Linux system.
const nobody = 65534

// asOrdinaryUser runs the calling test once more as a user without rights, where the tests run as root,
// and reports whether it did: then that is all there is to do.
func asOrdinaryUser(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return false
	}
	work, err := os.MkdirTemp("/dev/shm", "blackbox-user-")
	if err != nil {
		work, err = os.MkdirTemp("", "blackbox-user-")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	bin, target := filepath.Join(work, "test"), filepath.Join(work, "target")
	for from, to := range map[string]string{os.Args[0]: bin, program(t, "target"): target} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, data, 0o755)
		}
		if err == nil {
			err = os.Chmod(to, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(work, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir = work
	cmd.Env = []string{"BLACKBOX_TARGET=" + target, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + work, "PAYTWICE_GATE=" + os.Getenv("PAYTWICE_GATE")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	t.Logf("as user %d:\n%s", nobody, out)
	if err != nil || !strings.Contains(string(out), "\nPASS") || strings.Contains(string(out), "--- SKIP") {
		t.Errorf("as user %d: %v", nobody, err)
	}
	return true
}

// What a program of an ordinary user closes to all, its own user included, is read all the same, and stays closed.
func TestSweep_ClosedFiles(t *testing.T) {
	if asOrdinaryUser(t) {
		return
	}
	cfg := target(t, "closed")
	cfg.ExactlyOnce, cfg.PowerLoss, cfg.Power.Images, cfg.MaxKills = "effects", true, 20, 12
	cfg.Check = []string{"/bin/sh", "-c", "test $(stat -c %a lock) = 0 && test $(stat -c %a shut) = 0"}
	if r := sweep(t, cfg); len(r.Violations) > 0 || strings.Contains(r.Power, "not traced") || strings.Contains(r.Power, "full") {
		t.Errorf("%+v", r)
	}
}
