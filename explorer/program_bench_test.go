//go:build unix

package explorer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// BenchmarkKillAndRecover sets a kill and its recovery under the harness beside the same two lives of the
// same test binary without it, and beside two starts of that binary that do nothing. The binary is that of
// testdata/outside, built without cgo; the rounds alternate, so that all see the same machine.
//
//	go test ./explorer -run '^$' -bench KillAndRecover -benchtime 20x
func BenchmarkKillAndRecover(b *testing.B) {
	r := newRate(b)
	var harness, lives, starts time.Duration
	cycles := 0
	for b.Loop() {
		harness += r.timed(r.harness)
		lives += r.timed(r.bare)
		starts += r.timed(r.start)
		cycles += len(r.kills)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(cycles)/harness.Seconds(), "cycles/s")
	b.ReportMetric(100*lives.Seconds()/harness.Seconds(), "%of-bare-lives")
	b.ReportMetric(100*starts.Seconds()/harness.Seconds(), "%of-bare-starts")
}

// rate is the three ways to live a program twice.
type rate struct {
	b     *testing.B
	w     *binaryWorld
	kills []faults.Point
}

func newRate(b *testing.B) *rate {
	command, err := exec.LookPath("go")
	if err != nil {
		b.Skip("needs the go command")
	}
	binary := filepath.Join(b.TempDir(), "shop.test")
	build := exec.Command(command, "test", "-c", "-o", binary, ".")
	build.Dir = filepath.Join("testdata", "outside")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	root, err := child.CaseFolder()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(root) })
	r := &rate{b: b, w: &binaryWorld{p: Program{}.withDefaults(), path: binary, task: "test:TestRate#1", root: root, args: []string{"-test.run=^TestRate$"}, reads: &reads{}}}
	start, err := r.w.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	inc, err := r.w.Run(b.Context(), start, nil)
	if err != nil || inc.Life.Ended != history.Done {
		b.Fatal(err, inc.Life.Error)
	}
	for _, p := range inc.Points {
		r.kills = append(r.kills, p.Point)
	}
	return r
}

// timed does one cycle for each point of the program, as many at once as the harness does.
func (r *rate) timed(cycle func(faults.Point) error) time.Duration {
	r.b.Helper()
	from := time.Now()
	err := InParallel(len(r.kills), runtime.GOMAXPROCS(0), func(i int) error { return cycle(r.kills[i]) })
	if err != nil {
		r.b.Fatal(err)
	}
	return time.Since(from)
}

func (r *rate) harness(p faults.Point) error {
	ctx := r.b.Context()
	start, err := r.w.Start(ctx)
	if err != nil {
		return err
	}
	killed, err := r.w.Run(ctx, start, faults.Life{faults.KillAt(p)})
	if err != nil {
		return err
	}
	recovered, err := r.w.Run(ctx, killed.Next, nil)
	if err == nil && (killed.Life.Ended != history.Killed || recovered.Life.Ended != history.Done) {
		err = fmt.Errorf("%s: %s, then %s", p, killed.Life.Ended, recovered.Life.Ended)
	}
	return err
}

func (r *rate) bare(p faults.Point) error {
	dir, err := r.w.folder()
	if err != nil {
		return err
	}
	if err := r.run(dir, faults.KillAt(p).String()); err == nil {
		return fmt.Errorf("%s: not killed", p)
	}
	if err := r.run(dir, "run"); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

func (r *rate) start(faults.Point) error {
	for range 2 {
		if err := exec.Command(r.w.path, "-test.run=^$").Run(); err != nil {
			return err
		}
	}
	return nil
}

func (r *rate) run(dir, plan string) error {
	cmd := exec.Command(r.w.path, r.w.args...)
	cmd.Env = append(os.Environ(), "SHOP_BARE="+dir, "SHOP_PLAN="+plan)
	return cmd.Run()
}
