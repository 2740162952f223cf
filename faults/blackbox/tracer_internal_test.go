//go:build linux && amd64

package blackbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/paytwice/paytwice/faults"
)

// A tracer on the first thread would wait for orphans of programs under other tracers.
func TestOnOwnThread_NeverTheFirst(t *testing.T) {
	release := make(chan struct{})
	var wg, entered sync.WaitGroup
	for range 50 {
		entered.Add(1)
		wg.Go(func() {
			onOwnThread(maxHops, func() bool {
				if unix.Gettid() == unix.Getpid() {
					t.Error("on the first thread")
				}
				entered.Done()
				<-release
				return true
			})
		})
	}
	entered.Wait()
	close(release)
	wg.Wait()
}

// Nor one on a thread that has a child of another part of the process.
func TestOnOwnThread_WithoutForeignChildren(t *testing.T) {
	cmd := exec.Command("/bin/cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		onOwnThread(maxHops, func() bool {
			if err := cmd.Start(); err != nil {
				t.Error(err)
			}
			inner := make(chan struct{})
			go onOwnThread(maxHops, func() bool {
				defer close(inner)
				err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL|unix.WNOTHREAD, nil)
				if !errors.Is(err, unix.ECHILD) {
					t.Errorf("the thread has children: %v", err)
				}
				return true
			})
			<-inner
			return true
		})
	}()
	<-done
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A kill counts only if the wait status shows it.
func TestVerify_NotLanded(t *testing.T) {
	j := killJob{target: &target{call: Call{"write", "file", 1}, position: faults.Before}}
	var notLanded *NotLandedError
	err := j.verify(&lifeResult{cause: causeKill, status: "ended with status 0"}, &lifeSpec{})
	if !errors.As(err, &notLanded) || notLanded.Status != "ended with status 0" {
		t.Errorf("error %v", err)
	}
	if err := j.verify(&lifeResult{cause: causeKill, landed: true}, &lifeSpec{}); err != nil {
		t.Error(err)
	}
	j.target.prefix = []Call{{"open", "file", 1}}
	if err := j.verify(&lifeResult{cause: causeKill, landed: true}, &lifeSpec{}); err == nil {
		t.Error("a call of the prefix is missing and nothing is said")
	}
}

// The filter must be one that the kernel takes, and small enough for its jumps.
func TestFilter_Installs(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	for _, tracing := range []bool{true, false} {
		if n := len(filter(tracing)); n > 255 {
			t.Errorf("%d instructions", n)
		}
		res, err := runLife(context.Background(), &lifeSpec{args: []string{"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, root: "/",
			tracing: tracing, timeout: time.Minute, limits: Limits{}.withDefaults()})
		if err != nil || res.exit != 3 || res.stdout.String() != "out\n" || res.stderr.String() != "err\n" {
			t.Errorf("tracing %v: %+v, %v", tracing, res, err)
		}
	}
}

// Every call of the table stops, and no other but those that depend on their arguments.
func TestFilter_StopsAtWhatTheTableHolds(t *testing.T) {
	code := filter(true)
	for nr := range uint32(1024) {
		_, want := shapes[uint64(nr)]
		if slices.Contains([]uint32{unix.SYS_OPEN, unix.SYS_OPENAT, unix.SYS_MMAP}, nr) {
			continue
		}
		if got := verdictOf(code, nr) == unix.SECCOMP_RET_TRACE|stopCall; got != want {
			t.Errorf("call %d: it stops: %v, not %v", nr, got, want)
		}
	}
}

// verdictOf runs a filter for a call whose arguments are all 0.
func verdictOf(code []unix.SockFilter, nr uint32) uint32 {
	data := map[uint32]uint32{dataNr: nr, dataArch: archAMD64}
	loaded := uint32(0)
	for at := 0; ; at++ {
		f := code[at]
		yes := false
		switch f.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			loaded = data[f.K]
			continue
		case unix.BPF_RET | unix.BPF_K:
			return f.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			yes = loaded == f.K
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			yes = loaded > f.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			yes = loaded >= f.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			yes = loaded&f.K != 0
		}
		if yes {
			at += int(f.Jt)
		} else {
			at += int(f.Jf)
		}
	}
}

func TestMissing_SaysSomething(t *testing.T) {
	if missing() == "" || !strings.Contains(missingError("x").Error(), "x is missing") || !errors.Is(missingError("x"), ErrUnavailable) {
		t.Error("what is missing is not said")
	}
}

// A program that was just written can be started, whatever other workers start meanwhile.
func TestFolder_WriteNextToForks(t *testing.T) {
	if os.Getenv("PAYTWICE_GATE") == "" {
		t.Skip("part of the gate: set PAYTWICE_GATE to run it")
	}
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	f, root := folder{{path: "sh", kind: entryFile, mode: 0o755, data: sh}}, filepath.Join(t.TempDir(), "case")
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = exec.Command("/bin/true").Run()
			}
		}
	})
	for range 500 {
		if err := f.write(root); err != nil {
			t.Fatal(err)
		}
		if err := exec.Command(filepath.Join(root, "sh"), "-c", ":").Run(); err != nil {
			t.Error(err)
			break
		}
	}
	close(stop)
	others.Wait()
}
