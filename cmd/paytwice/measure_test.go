//go:build linux

package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
)

var measure = flag.Bool("measure", false, "print what the default matrix costs")

// measured names the binary whose children TestMeasure_Children measures.
const measured = "PAYTWICE_MEASURED"

// TestMeasure prints what the default matrix costs, built without cgo. It judges nothing:
//
//	go test ./cmd/paytwice -run 'TestMeasure$' -measure -v
func TestMeasure(t *testing.T) {
	if !*measure {
		t.Skip("only with -measure")
	}
	path := filepath.Join(t.TempDir(), "paytwice")
	build := exec.Command("go", "build", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("binary: %.1f MB", float64(info.Size())/1e6)
	for _, args := range [][]string{{"matrix"}, {"matrix", "--workers", "1"}, {"matrix", "--mode", "simulate"}, {"show", "--point", "after-write", "--strategy", "naive-retry"}} {
		var took []time.Duration
		var most int64
		for range 5 {
			cmd := exec.Command(path, args...)
			begin := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			took = append(took, time.Since(begin))
			most = max(most, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
		}
		slices.Sort(took)
		t.Logf("%-60s fastest %v, median %v, slowest %v; largest process %.1f MB", strings.Join(args, " "), took[0], took[2], took[4], float64(most)/1024)
	}
	t.Logf("parent at its first kill: %s", parentPeak(t, path))
	self := exec.Command(os.Args[0], "-test.run", "^TestMeasure_Children$", "-test.v")
	self.Env = append(os.Environ(), measured+"="+path)
	out, err := self.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("largest child: %s", regexp.MustCompile(`[\d.]+ MB`).Find(out))
}

// parentPeak returns the peak of a parent that waits at a kill.
func parentPeak(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command(path, "replay", "--pause", "kill payment.request_refund/after#1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	errOut, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(errOut); lines.Scan() && !strings.Contains(lines.Text(), "press Enter"); {
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(regexp.MustCompile(`VmHWM:.*`).Find(status))), " ")
}

// TestMeasure_Children kills children of another binary and prints the largest one's peak: in a process of
// its own, since what it counts is every child that the process ever had.
func TestMeasure_Children(t *testing.T) {
	path := os.Getenv(measured)
	if path == "" {
		t.Skip("TestMeasure starts it")
	}
	sc := scenarios.RefundScenario()
	settings, err := sc.Settings(sc.Setting)
	if err != nil {
		t.Fatal(err)
	}
	w, closer, err := matrix.World(context.Background(), sc, sc.Setting, matrix.Kill, scenarios.KillOptions{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	if _, err := explorer.Replay(context.Background(), w, nil, explorer.Options{Settings: settings, Once: true}); err != nil {
		t.Fatal(err)
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB", float64(usage.Maxrss)/1024)
}
