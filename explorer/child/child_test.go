//go:build unix

package child_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

var today = time.Date(2026, time.October, 9, 17, 0, 0, 0, time.UTC)

// parent is one child with what the parent hears of it.
type parent struct {
	t      *testing.T
	dir    string
	spec   child.Spec
	now    time.Time
	events []history.Event
	// hears is told of each event while the child runs.
	hears func(*child.Process, history.Event)
}

func newParent(t *testing.T, task string) *parent {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &parent{t: t, dir: t.TempDir(), now: today}
	p.spec = child.Spec{Path: exe, Dir: p.dir, Environ: []string{"GORACE=atexit_sleep_ms=0", "GOMAXPROCS=1"},
		Order: child.Order{Task: task, Now: today}}
	return p
}

// plan arms the child with a life, and says which kill it is to die of.
func (p *parent) plan(text string) *parent {
	p.t.Helper()
	plan, err := faults.Parse(text)
	if err != nil {
		p.t.Fatal(err)
	}
	p.spec.Order.Life = plan
	p.spec.Planned = plan.Life(0).Kill()
	return p
}

func (p *parent) run(ctx context.Context) (child.Lived, error) {
	p.t.Helper()
	var process *child.Process
	p.spec.Event = func(e history.Event) {
		p.events = append(p.events, e)
		if p.hears != nil {
			p.hears(process, e)
		}
	}
	p.spec.Wait = func(d time.Duration) time.Time { p.now = p.now.Add(d); return p.now }
	process, wait, err := child.Start(ctx, p.spec)
	if err != nil {
		p.t.Fatal(err)
	}
	lived, err := wait()
	if lived.PID != process.PID() {
		p.t.Errorf("pid %d, started %d", lived.PID, process.PID())
	}
	// Reaped, so the number is free: nothing of the child's group is left.
	if err := syscall.Kill(-process.PID(), 0); !errors.Is(err, syscall.ESRCH) && !onlyZombies(process.PID()) {
		p.t.Errorf("the group of process %d is still there: %v", process.PID(), err)
	}
	return lived, err
}

// onlyZombies reports whether what is left of a group has ended and only waits to be reaped by whoever
// inherited it.
func onlyZombies(group int) bool {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return false
	}
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && fields[0] != "Z" && fields[0] != "X" {
			return false
		}
	}
	return true
}

func (p *parent) said() []string {
	var out []string
	for _, e := range p.events {
		out = append(out, e.What)
	}
	return out
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A kill at a point: what was done before it stays, what comes after it never happens, and everything that
// was passed has been reported.
func TestRun_KillLands(t *testing.T) {
	for _, c := range []struct {
		plan   string
		passed int
		saves  string
	}{
		{"kill store.save/before#1", 1, ""},
		{"kill store.save/after#1", 2, "save 1\n"},
		{"kill store.save/before#3", 5, "save 1\nsave 2\n"},
		{"kill store.save/after#3", 6, "save 1\nsave 2\nsave 3\n"},
	} {
		t.Run(c.plan, func(t *testing.T) {
			p := newParent(t, "walk").plan(c.plan)
			lived, err := p.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "ended, killed, hung", [3]any{lived.Ended, lived.Killed, lived.Hung}, [3]any{history.Killed, true, false})
			same(t, "points passed", len(p.events), c.passed)
			same(t, "last", p.events[len(p.events)-1].Point(), strings.TrimPrefix(c.plan, "kill "))
			saves, _ := os.ReadFile(filepath.Join(p.dir, ledger))
			same(t, "saves", string(saves), c.saves)
		})
	}
}

func TestRun_OwnEnds(t *testing.T) {
	for _, c := range []struct {
		task  string
		ended history.End
		error string
	}{
		{"walk", history.Done, ""},
		{"person", history.Person, ""},
		{"fails", history.Failed, "out of paper"},
		{"dies", history.Failed, "boom"},
		{"silent", history.Failed, "exit status 4"},
		{"long line", history.Done, ""},
	} {
		t.Run(c.task, func(t *testing.T) {
			lived, err := newParent(t, c.task).run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "ended, error, killed, hung", [4]any{lived.Ended, lived.Error, lived.Killed, lived.Hung}, [4]any{c.ended, c.error, false, false})
		})
	}
}

// What the order says arrives as it was given.
func TestRun_Order(t *testing.T) {
	p := newParent(t, "order").plan("pause 2m a.b/after#9, kill c.d/before#1")
	p.spec.Planned = nil
	p.spec.Order.Config = json.RawMessage(`{"a":1}`)
	p.spec.Environ = append(p.spec.Environ, "EXTRA=e")
	if _, err := p.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "order", p.said(), []string{`order {"a":1} pause 2m a.b/after#9, kill c.d/before#1 e`})
}

// A planned kill whose point the child never comes to leaves a life that ended by itself: the world above
// says that the point was never reached.
func TestRun_PointNeverReached(t *testing.T) {
	lived, err := newParent(t, "walk").plan("kill store.save/before#4").run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ended, killed", [2]any{lived.Ended, lived.Killed}, [2]any{history.Done, false})
}

// A kill that doesn't end the process at its point is an error, never a pass.
func TestRun_NotLanded(t *testing.T) {
	for _, c := range []struct {
		name, task string
		reason     string
	}{
		{"killed by somebody else at another point", "suicide", `killed, and not at that point ("")`},
		{"struck, and it lives on", "claims", "ended by itself (exit status 0) although it was struck"},
		{"struck, and it dies of another signal", "terminated", "ended by itself (signal: terminated) although it was struck"},
		{"it passes the point and ends by itself", "passes", "passed the point and ended by itself (exit status 0)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newParent(t, c.task).plan("kill store.save/after#1")
			lived, err := p.run(t.Context())
			var missed *child.NotLandedError
			if !errors.As(err, &missed) || !strings.Contains(err.Error(), c.reason) {
				t.Fatalf("got %v, want %q", err, c.reason)
			}
			same(t, "point", missed.Point.String(), "store.save/after#1")
			same(t, "killed", lived.Killed, false)
		})
	}
	t.Run("killed by the parent at another point", func(t *testing.T) {
		p := newParent(t, "hangs").plan("kill store.save/after#1")
		p.hears = func(process *child.Process, _ history.Event) {
			process.Kill(faults.Point{Site: saveSite, Position: faults.During, N: 1})
		}
		_, err := p.run(t.Context())
		var missed *child.NotLandedError
		if !errors.As(err, &missed) || !strings.Contains(err.Error(), "store.save/during#1") {
			t.Fatalf("got %v", err)
		}
	})
}

// Without a plan, a kill or a strike is the harness's error.
func TestRun_Unplanned(t *testing.T) {
	for task, want := range map[string]string{"suicide": "was killed, and the plan did not say so", "claims": "was struck at store.save/after#1, and the plan did not say so"} {
		t.Run(task, func(t *testing.T) {
			if _, err := newParent(t, task).run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// The parent kills at a point that only the other side of a seam can see.
func TestProcess_Kill(t *testing.T) {
	at := faults.Point{Site: saveSite, Position: faults.During, N: 1}
	p := newParent(t, "hangs")
	p.spec.Planned = &at
	p.hears = func(process *child.Process, _ history.Event) { process.Kill(at) }
	lived, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ended, killed", [2]any{lived.Ended, lived.Killed}, [2]any{history.Killed, true})
}

// A process that has ended is left alone, whatever its number means by then.
func TestProcess_KillAfterTheEnd(t *testing.T) {
	p := newParent(t, "person")
	p.spec.Event = func(history.Event) {}
	process, wait, err := child.Start(t.Context(), p.spec)
	if err != nil {
		t.Fatal(err)
	}
	lived, err := wait()
	process.Kill(faults.Point{Site: saveSite, N: 1})
	same(t, "ended, error", [2]any{lived.Ended, err}, [2]any{history.Person, nil})
}

// relatives opens a FIFO that a grandchild holds as long as it lives, and returns what waits for its end.
func (p *parent) relatives() (gone func()) {
	p.t.Helper()
	name := filepath.Join(p.dir, fifo)
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		p.t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { f.Close() })
	return func() {
		p.t.Helper()
		if err := f.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			p.t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil {
			p.t.Errorf("the grandchild is still there: %v", err)
		}
		// On a machine so busy that the time was up before the grandchild came, nothing was there to end.
		if string(data) != "x" && p.spec.Timeout == 0 {
			p.t.Error("the grandchild never was there")
		}
	}
}

// What hangs is ended when its time is up, with everything it started.
func TestRun_Hangs(t *testing.T) {
	p := newParent(t, "family hangs").plan("kill store.save/before#1")
	p.spec.Timeout = 2 * time.Second
	gone := p.relatives()
	lived, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ended, hung, killed", [3]any{lived.Ended, lived.Hung, lived.Killed}, [3]any{history.Failed, true, false})
	gone()
}

func TestRun_CancelledLeavesNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := newParent(t, "family hangs")
	p.hears = func(_ *child.Process, e history.Event) {
		if e.What == "hanging" {
			stop()
		}
	}
	gone := p.relatives()
	if _, err := p.run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	gone()
}

// A grandchild ends with the child, however the child ended.
func TestRun_GrandchildrenAreEnded(t *testing.T) {
	p := newParent(t, "family")
	gone := p.relatives()
	lived, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ended", lived.Ended, history.Done)
	gone()
}

// One that left the group, and holds standard error, does not keep the parent waiting. It is not ours to
// end.
func TestRun_GrandchildThatLeft(t *testing.T) {
	p := newParent(t, "left home")
	gone := p.relatives()
	lived, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ended, hung", [2]any{lived.Ended, lived.Hung}, [2]any{history.Done, false})
	p.endThatLeft()
	gone()
}

// One that left the group and holds the pipes does not keep the parent waiting either, however the child ended.
func TestRun_GrandchildThatHoldsThePipes(t *testing.T) {
	for _, c := range []struct {
		task, plan string
		timeout    time.Duration
		ended      history.End
		hung       bool
	}{
		{"left home with the pipes", "run", 0, history.Done, false},
		{"left home with the pipes", "kill store.save/before#1", 0, history.Killed, false},
		{"left home with the pipes, and hangs", "run", 2 * time.Second, history.Failed, true},
	} {
		t.Run(c.task+"/"+c.plan, func(t *testing.T) {
			t.Parallel()
			p := newParent(t, c.task).plan(c.plan)
			p.spec.Timeout = c.timeout
			gone := p.relatives()
			lived, err := p.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "ended, hung", [2]any{lived.Ended, lived.Hung}, [2]any{c.ended, c.hung})
			p.endThatLeft()
			gone()
		})
	}
}

// endThatLeft ends the grandchild that said its number first, and left the group.
func (p *parent) endThatLeft() {
	p.t.Helper()
	pid, err := strconv.Atoi(p.said()[0])
	if err != nil {
		p.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		p.t.Errorf("it was ended: %v", err)
	}
}

// What a child starts does not hold the pipes, whether it was started before the child attached or after.
func TestRun_NobodyInheritsThePipes(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	p := newParent(t, "starts before it attaches")
	if _, err := p.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "before, after", p.said(), []string{"looked\n", "looked\n"})
}

// What is no message ends the child, and the error says so rather than that it was killed.
func TestRun_Garbage(t *testing.T) {
	for task, want := range map[string]string{"garbage": "a line that is no message", "endless": "a line longer than",
		"garbage passes": "a line that is no message", "endless passes": "a line longer than"} {
		for _, plan := range []string{"run", "kill store.save/after#1"} {
			t.Run(task+"/"+plan, func(t *testing.T) {
				_, err := newParent(t, task).plan(plan).run(t.Context())
				var missed *child.NotLandedError
				if err == nil || !strings.Contains(err.Error(), want) || errors.As(err, &missed) {
					t.Errorf("got %v, want %q", err, want)
				}
			})
		}
	}
}

// Points that nobody is woken for arrive all the same: at the latest with what the child says after them, and after
// a kill. What it says may come later than points that it passes after that.
func TestRun_Passes(t *testing.T) {
	for plan, want := range map[string][]string{
		"run":                     {"before#1", "after#1", "before#2", "after#2"},
		"kill store.save/after#1": {"before#1", "after#1"},
	} {
		t.Run(plan, func(t *testing.T) {
			p := newParent(t, "reports").plan(plan)
			begins, said := 0, 0
			var heard []string
			p.spec.Begins = func() { begins++ }
			p.hears = func(_ *child.Process, e history.Event) {
				if e.What != "" {
					if said++; !slices.Contains(heard, "before#"+strconv.Itoa(said)) {
						t.Errorf("what was said at call %d came before its point: %v", said, heard)
					}
					return
				}
				same(t, "where", e.Where, "line of store.save/"+e.Position)
				heard = append(heard, e.Position+"#"+strconv.Itoa(e.Call))
			}
			lived, err := p.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "killed, begun, said", []any{lived.Killed, begins, said}, []any{plan != "run", 1, len(want) / 2})
			same(t, "heard", heard, want)
		})
	}
}

// The parent owns the clock: a child's waits move it, and nobody sleeps.
func TestRun_WaitsMoveTheParentsClock(t *testing.T) {
	p := newParent(t, "waits")
	lived, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "times", p.said(), []string{"2026-10-09T17:00:00Z", "2026-10-09T17:00:05Z", "2026-10-09T17:02:05Z"})
	same(t, "the parent's", p.now, today.Add(2*time.Minute+5*time.Second))
	same(t, "ended", lived.Ended, history.Done)
}

// A pause stops the child at its point with its wait status checked, and it learns the time as it wakes.
func TestRun_Pause(t *testing.T) {
	if !child.CanPause {
		t.Skip("processes can't be paused here")
	}
	p := newParent(t, "walk").plan("pause 2m store.save/after#1")
	p.spec.Paused = func(at faults.Point) time.Time {
		same(t, "at", at.String(), "store.save/after#1")
		p.now = p.now.Add(2 * time.Minute)
		return p.now
	}
	lived, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ended", lived.Ended, history.Done)
	same(t, "before it, after it", [2]time.Time{p.events[1].At, p.events[2].At}, [2]time.Time{today, today.Add(2 * time.Minute)})
	t.Run("that nobody expects", func(t *testing.T) {
		_, err := newParent(t, "walk").plan("pause 2m store.save/after#1").run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "nobody expected it") {
			t.Errorf("got %v", err)
		}
	})
}

// Standard error is kept up to a bound, its end rather than its beginning.
func TestRun_StandardErrorIsBounded(t *testing.T) {
	lived, err := newParent(t, "talks").run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(lived.Stderr) > 16<<10 || !strings.HasSuffix(lived.Stderr, "last words") {
		t.Errorf("%d bytes kept, ending %q", len(lived.Stderr), lived.Stderr[max(0, len(lived.Stderr)-20):])
	}
}

// What must not be lost in what comes after it is kept, also of a child that is killed.
func TestRun_Alarm(t *testing.T) {
	for _, plan := range []string{"run", "kill store.save/before#1"} {
		p := newParent(t, "alarms").plan(plan)
		p.spec.Alarm = "ALARM"
		lived, err := p.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, _, _ := strings.Cut(lived.Alarm, "\n"); text != "ALARM, this and that" || len(lived.Alarm) > 16<<10 {
			t.Errorf("%s: kept %d bytes, beginning %.40q", plan, len(lived.Alarm), lived.Alarm)
		}
	}
	p := newParent(t, "talks")
	p.spec.Alarm = "ALARM"
	if lived, err := p.run(t.Context()); err != nil || lived.Alarm != "" {
		t.Errorf("without any: %q, %v", lived.Alarm, err)
	}
}

// A good end is one that the wait status says, too.
func TestRun_StatusDisagrees(t *testing.T) {
	_, err := newParent(t, "ends well, and badly").run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "said that it had ended well (done), and its status says otherwise: exit status 66") {
		t.Errorf("got %v", err)
	}
}

func TestStart_NoSuchProgram(t *testing.T) {
	p := newParent(t, "walk")
	p.spec.Path = filepath.Join(p.dir, "nothing")
	if _, _, err := child.Start(t.Context(), p.spec); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Nothing stays open or running in the parent, however the child ended.
func TestRun_LeaksNothing(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc")
		}
		return len(entries)
	}
	_, _ = newParent(t, "walk").run(t.Context())
	files, routines := open(), runtime.NumGoroutine()
	// Each round would leave its own behind; what is still on its way out after the last one is fewer.
	const rounds = 5
	for range rounds {
		for _, task := range []string{"walk", "dies", "garbage", "suicide"} {
			_, _ = newParent(t, task).run(t.Context())
		}
	}
	if files+rounds <= open() || routines+rounds <= runtime.NumGoroutine() {
		t.Errorf("%d files and %d goroutines became %d and %d", files, routines, open(), runtime.NumGoroutine())
	}
}

// A binary that is started by hand as a child, without a parent's pipes or with nonsense on them, says so
// and ends.
func TestAttach_NoParent(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, told, want string }{
		{"no pipes", "", "parent"},
		{"closed before the order", " ", "the parent's pipes are not there"},
		{"nonsense", "hello\n", "order of the parent"},
		{"an order of another kind", `{"life":"kill nowhere"}` + "\n", "order of the parent"},
		{"nobody listens", `{"task":"person","life":"run","now":"2026-10-09T17:00:00Z"}` + "\n", "the parent does not listen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(exe)
			cmd.Env = append(os.Environ(), child.Env+"=person", "GORACE=atexit_sleep_ms=0")
			if c.told != "" {
				cmd.ExtraFiles = pipes(t, strings.TrimPrefix(c.told, " "))
			}
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), c.want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// pipes are what a child inherits: one that nobody reads, and one with a text.
func pipes(t *testing.T, text string) []*os.File {
	t.Helper()
	saysR, saysW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	toldR, toldW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	saysR.Close()
	_, _ = toldW.WriteString(text)
	toldW.Close()
	t.Cleanup(func() { saysW.Close(); toldR.Close() })
	return []*os.File{saysW, toldR}
}
