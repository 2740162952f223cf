package blackbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// benchConfig is the sweep that all benchmarks do: a transaction on an existing database, killed before
// each durable call, recovered, and nothing else.
func benchConfig(b *testing.B) blackbox.Config {
	cfg := sqlite(b, "delete", "run", "delete", "full", "1")
	cfg.Check, cfg.Acked = nil, nil
	cfg.Sides = blackbox.BeforeOnly
	return cfg
}

func BenchmarkSweep(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", workers), func(b *testing.B) {
			cfg := benchConfig(b)
			cfg.Workers = workers
			kills := 0
			for b.Loop() {
				kills += sweep(b, cfg).Kills.Landed
			}
			b.ReportMetric(float64(kills)/b.Elapsed().Seconds(), "kills/s")
		})
	}
}

// BenchmarkStrace does the same with strace as the one who kills: one program and one recovery per call.
// It reports how many kills it saw: under --seccomp-bpf, strace 6.1 hardly ever injects a signal, and its
// programs run to their end; without, it counts per thread.
func BenchmarkStrace(b *testing.B) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		b.Skip("strace is not installed")
	}
	for name, flags := range map[string][]string{"seccomp": {"-f", "--seccomp-bpf"}, "plain": {"-f"}} {
		b.Run(name, func(b *testing.B) { straceSweep(b, append([]string{strace}, flags...)) })
	}
}

func straceSweep(b *testing.B, tracer []string) {
	cfg := benchConfig(b)
	calls := record(b, cfg).Calls
	seen := map[string]int{}
	var names, points []string
	for _, c := range calls {
		if seen[c.Name]++; seen[c.Name] == 1 {
			names = append(names, c.Name)
		}
		points = append(points, fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", c.Name, seen[c.Name]))
	}
	dir := filepath.Join(cfg.WorkDir, "case")
	defer os.RemoveAll(dir)
	kills, cycles := 0, 0
	for b.Loop() {
		for _, p := range points {
			if err := os.CopyFS(dir, os.DirFS(cfg.Template)); err != nil {
				b.Fatal(err)
			}
			args := append(tracer[1:len(tracer):len(tracer)], "-qq", "-o", "/dev/null", "-e", "trace="+strings.Join(names, ","), "-e", p)
			kill := exec.Command(tracer[0], append(args, cfg.Command...)...)
			kill.Dir = dir
			_ = kill.Run()
			cycles++
			if !kill.ProcessState.Success() {
				kills++
			}
			recovery := exec.Command(cfg.Command[0], cfg.Command[1:]...)
			recovery.Dir = dir
			if out, err := recovery.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			if err := os.RemoveAll(dir); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(kills)/b.Elapsed().Seconds(), "kills/s")
	b.ReportMetric(float64(cycles)/b.Elapsed().Seconds(), "cycles/s")
}

func BenchmarkImages(b *testing.B) {
	cfg := sqlite(b, "delete", "run", "delete", "full", "1")
	cfg.PowerLoss = true
	tr := record(b, cfg)
	images := 0
	for b.Loop() {
		set, err := blackbox.Images(tr, blackbox.PowerLimits{})
		if err != nil {
			b.Fatal(err)
		}
		images += set.Len()
	}
	b.ReportMetric(float64(images)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkRun is one undisturbed run: what tracing costs.
func BenchmarkRun(b *testing.B) {
	cfg := benchConfig(b)
	b.Run("traced", func(b *testing.B) {
		for b.Loop() {
			if _, err := blackbox.Record(context.Background(), cfg); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		dir := filepath.Join(cfg.WorkDir, "case")
		defer os.RemoveAll(dir)
		for b.Loop() {
			_ = os.RemoveAll(dir)
			if err := os.CopyFS(dir, os.DirFS(cfg.Template)); err != nil {
				b.Fatal(err)
			}
			cmd := exec.Command(cfg.Command[0], cfg.Command[1:]...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
}
