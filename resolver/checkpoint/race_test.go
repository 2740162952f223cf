package checkpoint_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

const (
	childEnv = "CHECKPOINT_TEST_CHILD" // What a process started again does: hold or work.
	fileEnv  = "CHECKPOINT_TEST_FILE"
	rounds   = 5
	maxTries = 100_000
)

func TestAcquire_EightGoroutines(t *testing.T) {
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t, kind)
			created(t, h, "r-1")
			var won atomic.Int32
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					// One and the same process: the token decides, not the holder.
					_, err := h.Acquire(ctx, "r-1", holder(1), time.Minute)
					var held *resolver.LeaseHeldError
					switch {
					case err == nil:
						won.Add(1)
					case !errors.As(err, &held):
						t.Error(err)
					}
				})
			}
			wg.Wait()
			same(t, "winners", won.Load(), 1)
		})
	}
}

// Several openers of a file that isn't there yet: one makes the tables, the others find them.
func TestOpen_EightGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			s, err := checkpoint.Open(path, checkpoint.Options{Clock: wallClock{}})
			if err != nil {
				t.Error(err)
				return
			}
			err = s.Create(ctx, sample(fmt.Sprint("r-", n)))
			if err := errors.Join(err, s.Check(ctx), s.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s := openAt(t, path, checkpoint.Options{Clock: wallClock{}})
	list, err := s.List(ctx)
	if err := errors.Join(err, s.Check(ctx), s.Close()); err != nil {
		t.Error(err)
	}
	same(t, "runs", len(list), 8)
}

func TestWork_EightGoroutines(t *testing.T) {
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			h := newHarness(t, kind)
			created(t, h, "r-1")
			var wg sync.WaitGroup
			for pid := 1; pid <= 8; pid++ {
				wg.Go(func() {
					if err := work(h, holder(pid)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			allWorkDone(t, h, 8*rounds)
		})
	}
}

// Several real processes count in one run; no step is lost and none is done twice.
func TestWork_Processes(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "runs.sqlite"), checkpoint.Options{Clock: wallClock{}})
	created(t, s, "r-1")
	const processes = 4
	var all []*process
	for range processes {
		all = append(all, start(t, "work", s.Path()))
	}
	for _, p := range all {
		p.begin()
	}
	for _, p := range all {
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, p.errors)
		}
	}
	allWorkDone(t, s, processes*rounds)
	if err := errors.Join(s.Check(ctx), s.Close()); err != nil {
		t.Error(err)
	}
}

// One of several processes gets the lease. It is killed, and the next has it at once, long before the
// lease runs out.
func TestAcquire_DeadProcess(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "runs.sqlite"), checkpoint.Options{Clock: wallClock{}})
	created(t, s, "r-1")
	var all []*process
	for range 4 {
		all = append(all, start(t, "hold", s.Path()))
	}
	for _, p := range all {
		p.begin()
	}
	var winners []*process
	for _, p := range all {
		if line := p.line(t); line == "token 1" {
			winners = append(winners, p)
		} else if line != "refused" {
			t.Fatalf("got %q: %s", line, p.errors)
		}
	}
	if len(winners) != 1 {
		t.Fatalf("%d processes hold the lease", len(winners))
	}
	self, err := checkpoint.ThisProcess()
	if err != nil {
		t.Fatal(err)
	}
	var held *resolver.LeaseHeldError
	if _, err := s.Acquire(ctx, "r-1", self, time.Hour); !errors.As(err, &held) || held.Holder.PID != winners[0].cmd.Process.Pid {
		t.Fatalf("held by %d: %v", winners[0].cmd.Process.Pid, err)
	}
	_ = winners[0].cmd.Process.Kill()
	_ = winners[0].cmd.Wait()
	l, err := s.Acquire(ctx, "r-1", self, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "token", l.Token, 2)
	if err := errors.Join(s.Check(ctx), s.Close()); err != nil {
		t.Error(err)
	}
}

// work takes the lease, counts one step and gives the lease back, rounds times.
func work(s resolver.Store, h resolver.Holder) error {
	for done, tries := 0, 0; done < rounds; tries++ {
		if tries > maxTries {
			return errors.New("the lease never came")
		}
		l, err := s.Acquire(ctx, "r-1", h, time.Minute)
		var held *resolver.LeaseHeldError
		if errors.As(err, &held) {
			continue
		}
		if err != nil {
			return err
		}
		st, err := s.Load(ctx, "r-1")
		if err != nil {
			return err
		}
		st.Step++
		if err := s.Save(ctx, st, l, resolver.TrailEntry{Actor: h.String(), What: fmt.Sprint("step ", st.Step)}); err != nil {
			return err
		}
		if err := s.Release(ctx, l); err != nil {
			return err
		}
		done++
	}
	return nil
}

func allWorkDone(t *testing.T, s checkpoint.Store, steps int) {
	t.Helper()
	st, err := s.Load(ctx, "r-1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "steps", st.Step, sample("").Step+steps)
	trail, _ := s.Trail(ctx, "r-1")
	same(t, "entries", len(trail), steps)
	img, _ := s.Image(ctx)
	same(t, "token", img.Leases[0].Token, int64(steps))
}

// process is this binary, started again.
type process struct {
	cmd    *exec.Cmd
	in     io.Closer
	out    *bufio.Scanner
	errors *strings.Builder
}

func start(t *testing.T, role, file string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0]), errors: &strings.Builder{}}
	p.cmd.Env = append(os.Environ(), childEnv+"="+role, fileEnv+"="+file, "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = p.errors
	in, _ := p.cmd.StdinPipe()
	out, _ := p.cmd.StdoutPipe()
	p.in, p.out = in, bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	if line := p.line(t); line != "ready" {
		t.Fatalf("got %q: %s", line, p.errors)
	}
	return p
}

// begin lets a process that is ready go on: all start together.
func (p *process) begin() { _ = p.in.Close() }

func (p *process) line(t *testing.T) string {
	t.Helper()
	if !p.out.Scan() {
		t.Fatalf("the process said nothing: %s", p.errors)
	}
	return p.out.Text()
}

// child is the life of a process started again.
func child(role string) int {
	s, err := checkpoint.Open(os.Getenv(fileEnv), checkpoint.Options{Clock: wallClock{}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	self, err := checkpoint.ThisProcess()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if role == "work" {
		if err := work(s, self); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	l, err := s.Acquire(ctx, "r-1", self, time.Hour)
	var held *resolver.LeaseHeldError
	switch {
	case errors.As(err, &held):
		fmt.Println("refused")
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("token", l.Token)
	}
	// Until it is killed. Blocking on nothing at all would count as a deadlock.
	r, _, _ := os.Pipe()
	_, _ = r.Read(make([]byte, 1))
	return 0
}
