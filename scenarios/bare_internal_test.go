package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// The variables that make the test binary live one bare life, and tell it where the services are.
const (
	bareEnv    = "PAYTWICE_BARE"
	bareServer = "PAYTWICE_BARE_SERVER"
)

// bareMain lives one life of the refund program without the harness: no pipes, no seams, no events. With
// "kill" it kills itself once its refund is answered.
func bareMain() {
	how := os.Getenv(bareEnv)
	if how == "" {
		return
	}
	if how != "start" {
		if err := bareLife(how == "kill"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

func bareLife(kills bool) error {
	r, err := newRefund(Setting{}.WithDefaults())
	if err != nil {
		return err
	}
	holder, err := checkpoint.ThisProcess()
	if err != nil {
		return err
	}
	clock := NewClock(Today)
	store, err := checkpoint.Open(RunsFile, checkpoint.Options{Clock: clock})
	if err != nil {
		return err
	}
	defer store.Close()
	address, transport := os.Getenv(bareServer), &http.Transport{}
	can := resolver.Capabilities(r.profile.Capabilities())
	client := services.NewClient(address, services.ClientOptions{Caller: r.caller(), Transport: transport, Payment: &can, Warehouse: &can})
	world := client.Services()
	if kills {
		world.Payment = killsItself{world.Payment}
	}
	runner := &resolver.Runner{
		Executor: resolver.Executor{Store: store, Services: world, Clock: clock, Strategy: r.strategy}, Holder: holder,
		Loop:    &agent.Loop{Model: modelClient{address, &http.Client{Transport: transport}, seams.NewCalls()}, Services: world},
		Tickets: func(string) (resolver.Ticket, error) { return r.task.Ticket, nil },
	}
	_, err = runner.Drive(context.Background(), r.task.Ticket, r.setting.Variant, r.setting.Model, r.setting.Repeat, resolver.ApproveByRole)
	return err
}

type killsItself struct{ resolver.Payment }

func (p killsItself) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	// What comes back is never seen: the process is gone.
	_, _ = p.Payment.RequestRefund(ctx, w)
	faults.KillSelf()
	return resolver.Change{}, nil
}

// bareLives lives the lives of "kill payment.request_refund/after#1" without the harness: the same binary,
// stores and services, the first life ended by itself.
func bareLives(b *testing.B, template string) {
	dir, err := child.CaseFolder() // where the harness has its cases, too
	if err == nil {
		err = child.CopyFolder(dir, template)
	}
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	r, err := newRefund(Setting{}.WithDefaults())
	if err != nil {
		b.Fatal(err)
	}
	outside, err := refundProcess{r, Refund}.Open(b.Context(), dir, NewClock(Today))
	if err != nil {
		b.Fatal(err)
	}
	defer outside.Close()
	s, err := listen()
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	g := newGate(nil, NewClock(Today), nil)
	address, done := s.serve(outside.Handler(g))
	defer done()
	for _, how := range []string{"kill", "end"} {
		err := bareStart(dir, how, address)
		if (err != nil) != (how == "kill") {
			b.Fatalf("bare life to its %s: %v", how, err)
		}
	}
}

// bareTemplate is the first durable state.
func bareTemplate(b *testing.B) string {
	dir := filepath.Join(b.TempDir(), "template")
	r, err := newRefund(Setting{}.WithDefaults())
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = refundProcess{r, Refund}.Prepare(b.Context(), dir)
	}
	if err != nil {
		b.Fatal(err)
	}
	return dir
}

func bareStarts(b *testing.B) {
	for range 2 {
		if err := bareStart("", "start", ""); err != nil {
			b.Fatal(err)
		}
	}
}

func bareStart(dir, how, address string) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(path)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", bareEnv+"="+how, bareServer+"="+address)
	return cmd.Run()
}

// BenchmarkKill_AgainstBare compares two lives of kill mode with the same lives without the harness (goal:
// 80 % of their rate) and with two bare starts (goal: 40 %). Each side has two workers, as a search has.
func BenchmarkKill_AgainstBare(b *testing.B) {
	template := bareTemplate(b)
	bench := kills(b)
	var harness, bare, floor float64
	for b.Loop() {
		harness += seconds(twoWorkers(bench))
		bare += seconds(twoWorkers(func() { bareLives(b, template) }))
		floor += seconds(twoWorkers(func() { bareStarts(b) }))
	}
	b.ReportMetric(2*cyclesEach*float64(b.N)/harness, "killed-plans/s")
	b.ReportMetric(100*bare/harness, "%-of-bare")
	b.ReportMetric(100*floor/harness, "%-of-floor")
}

// cyclesEach is how many cycles a worker runs before the next side has its turn.
const cyclesEach = 5

func twoWorkers(cycle func()) func() {
	return func() {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				for range cyclesEach {
					cycle()
				}
			})
		}
		both.Wait()
	}
}

// kills returns a function that replays one plan by real kills.
func kills(b *testing.B) func() {
	plan, err := faults.Parse("kill payment.request_refund/after#1")
	if err != nil {
		b.Fatal(err)
	}
	sc := RefundScenario()
	s := Setting{}.WithDefaults()
	program, err := sc.Program(s)
	if err != nil {
		b.Fatal(err)
	}
	settings, err := sc.Settings(s)
	if err != nil {
		b.Fatal(err)
	}
	w, err := NewKilled(b.Context(), program, KillOptions{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { w.Close() })
	return func() {
		if _, err := explorer.Replay(b.Context(), w, plan, explorer.Options{Settings: settings, Once: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func seconds(do func()) float64 {
	start := time.Now()
	do()
	return time.Since(start).Seconds()
}
