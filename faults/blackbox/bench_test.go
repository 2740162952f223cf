package blackbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// sweeps are those that all comparisons do: kills before each durable call, a recovery for each different
// state, and nothing else.
var sweeps = map[string]func(b *testing.B) blackbox.Config{
	"SQLite": func(b *testing.B) blackbox.Config {
		cfg := sqlite(b, "delete", "run", "delete", "full", "3")
		cfg.Check, cfg.Acked = nil, nil
		return cfg
	},
	"100 calls": func(b *testing.B) blackbox.Config { return target(b, "careless", "50") },
	// What serves requests makes many calls between the durable ones, and lives long: here it starts for 40 of them.
	"a service":       func(b *testing.B) blackbox.Config { return target(b, "service", "40") },
	"a short service": func(b *testing.B) blackbox.Config { return target(b, "service", "20") },
	"500 calls": func(b *testing.B) blackbox.Config {
		cfg := target(b, "careless", "250")
		cfg.MaxKills = 50
		return cfg
	},
	// Where a life has thousands of calls, what a call costs under the tracer decides, not how fast processes start.
	"SQLite, 200 transactions": func(b *testing.B) blackbox.Config {
		cfg := sqlite(b, "delete", "run", "delete", "full", "200")
		cfg.Check, cfg.Acked, cfg.MaxKills = nil, nil, 50
		return cfg
	},
	"Python": func(b *testing.B) blackbox.Config {
		out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
		if err != nil {
			b.Skip("needs python3")
		}
		cfg := target(b)
		cfg.Template = folderOf(b, map[string]string{"careful.py": scripts["careful.py"]})
		cfg.Command = []string{strings.TrimSpace(string(out)), "careful.py"}
		return cfg
	},
}

// BenchmarkSweep sets the sweeps beside strace as the one who kills, a program and a recovery for each call.
// Each round does one after the other, so what else the machine does meets them alike; the ratios are those of
// the median rounds.
//
// strace's kills are counted: under --seccomp-bpf, strace 6.1 hardly ever injects a signal, and its programs run
// to their end; without, it counts calls per thread. What a second worker brings is set beside what it brings to
// plain runs: starting a program takes more than one processor's work, and on some machines hardly two at a time.
func BenchmarkSweep(b *testing.B) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		b.Skip("needs strace")
	}
	for name, config := range sweeps {
		b.Run(name, func(b *testing.B) {
			cfg := config(b)
			cfg.Sides, cfg.Workers = blackbox.BeforeOnly, 1
			two := cfg
			two.Workers = 2
			s := newStraceSweep(b, cfg)
			ways := []struct {
				name string
				do   func() (cycles, kills int)
			}{
				{"one", func() (int, int) { n := sweep(b, cfg).Kills.Landed; return n, n }},
				{"two", func() (int, int) { n := sweep(b, two).Kills.Landed; return n, n }},
				{"strace-seccomp", func() (int, int) { return s.run(b, []string{strace, "-f", "--seccomp-bpf"}) }},
				{"strace", func() (int, int) { return s.run(b, []string{strace, "-f"}) }},
				{"untraced", func() (int, int) { return s.run(b, nil) }},
				{"untraced-two", func() (int, int) { return s.twoHalves(b) }},
			}
			rates := make([][]float64, len(ways))
			for b.Loop() {
				for i, w := range ways {
					began := time.Now()
					cycles, kills := w.do()
					rates[i] = append(rates[i], float64(cycles)/time.Since(began).Seconds())
					if kills < cycles/2 && b.N == 1 {
						b.Logf("%s: %d kills in %d cycles", w.name, kills, cycles)
					}
				}
			}
			median := map[string]float64{}
			for i, w := range ways {
				slices.Sort(rates[i])
				median[w.name] = rates[i][len(rates[i])/2]
				b.ReportMetric(median[w.name], w.name+"/s")
			}
			b.ReportMetric(median["two"]/median["one"], "two/one")
			b.ReportMetric(median["untraced-two"]/median["untraced"], "untraced-two/one")
			b.ReportMetric(median["one"]/median["strace-seccomp"], "one/strace-seccomp")
			b.ReportMetric(median["one"]/median["strace"], "one/strace")
			b.ReportMetric(median["one"]/median["untraced"], "one/untraced")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// straceSweep is the same sweep with strace.
type straceSweep struct {
	dir    string
	cfg    blackbox.Config
	names  string
	points []string
}

func newStraceSweep(b *testing.B, cfg blackbox.Config) *straceSweep {
	s := &straceSweep{dir: filepath.Join(cfg.WorkDir, "case"), cfg: cfg}
	seen := map[string]int{}
	var names []string
	var all []string
	for _, c := range record(b, cfg).Calls {
		if seen[c.Name]++; seen[c.Name] == 1 {
			names = append(names, c.Name)
		}
		all = append(all, fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", c.Name, seen[c.Name]))
	}
	n := len(all)
	if cfg.MaxKills > 0 {
		n = min(n, cfg.MaxKills)
	}
	for i := range n {
		s.points = append(s.points, all[(2*i+1)*len(all)/(2*n)])
	}
	s.names = strings.Join(names, ",")
	return s
}

// run does the sweep under a tracer. Without one, two plain runs a cycle show what is left when tracing and killing
// cost nothing.
func (s *straceSweep) run(b *testing.B, tracer []string) (cycles, kills int) {
	defer os.RemoveAll(s.dir)
	for _, p := range s.points {
		if err := s.fresh(); err != nil {
			b.Error(err)
			return cycles, kills
		}
		args := s.cfg.Command
		if len(tracer) > 0 {
			args = slices.Concat(tracer, []string{"-qq", "-o", "/dev/null", "-e", "trace=" + s.names, "-e", p}, args)
		}
		kill := exec.Command(args[0], args[1:]...)
		kill.Dir, kill.Env = s.dir, s.cfg.Env
		_ = kill.Run()
		if !kill.ProcessState.Success() {
			kills++
		}
		recovery := exec.Command(s.cfg.Command[0], s.cfg.Command[1:]...)
		recovery.Dir, recovery.Env = s.dir, s.cfg.Env
		if out, err := recovery.CombinedOutput(); err != nil {
			b.Errorf("%v: %s", err, out)
			return cycles, kills
		}
		cycles++
	}
	return cycles, kills
}

// twoHalves does the plain runs with two workers.
func (s *straceSweep) twoHalves(b *testing.B) (cycles, kills int) {
	halves := [2]straceSweep{*s, *s}
	half := len(s.points) / 2
	halves[0].points, halves[1].points = s.points[:half], s.points[half:]
	halves[1].dir += "-2"
	var group sync.WaitGroup
	for i := range halves {
		group.Go(func() { halves[i].run(b, nil) })
	}
	group.Wait()
	return len(s.points), len(s.points)
}

// fresh makes the case's folder anew.
func (s *straceSweep) fresh() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	if s.cfg.Template == "" {
		return os.Mkdir(s.dir, 0o755)
	}
	return os.CopyFS(s.dir, os.DirFS(s.cfg.Template))
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
	cfg := sweeps["SQLite"](b)
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
