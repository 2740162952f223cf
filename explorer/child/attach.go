package child

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Seat is the child's side: it is armed with its life and reports to the parent.
type Seat struct {
	Order    Order
	Injector *faults.Injector

	mu     sync.Mutex
	out    *os.File
	passes *os.File
	in     *bufio.Reader
	now    time.Time
}

// A child may start processes long before it attaches, as a test's set-up does. One that stays must not hold the
// pipes: their end is the child's end.
func init() {
	if os.Getenv(Env) != "" {
		closeOnExec(saysFD, toldFD, passesFD)
	}
}

// Attach returns the seat of a process that was started as a child.
//
// Errors: the pipes are missing or the order can't be read, for example because somebody set the
// environment variable by hand.
func Attach() (*Seat, error) {
	waitElsewhere(toldFD)
	s := &Seat{out: os.NewFile(saysFD, "says"), passes: os.NewFile(passesFD, "passes"), in: bufio.NewReader(os.NewFile(toldFD, "told"))}
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s is set, but the parent's pipes are not there: %w", Env, err)
	}
	if err := json.Unmarshal(line, &s.Order); err != nil {
		return nil, fmt.Errorf("order of the parent: %w", err)
	}
	s.now = s.Order.Now
	s.Injector = faults.NewInjector(s.Order.Life.Life(0), faults.Options{Crash: s.crash, Paused: s.pause, DuringElsewhere: true})
	return s, nil
}

// ReportPasses arms the seat so that every point is reported as it is passed, for a program whose wrappers
// record nothing themselves. The parent hears of it when it has to know, see passLog. where is asked at each for the line of the program that passes it.
func (s *Seat) ReportPasses(where func(faults.Point) string) {
	s.Injector = faults.NewInjector(s.Order.Life.Life(0), faults.Options{Crash: s.crash, Paused: s.pause, DuringElsewhere: true,
		Pass: func(p faults.Point) {
			s.write(s.passes, passLine(p, where(p)))
		}})
}

// crash says where it strikes, then kills this process.
func (s *Seat) crash(p faults.Point) {
	s.say(saying{Struck: p.String()})
	faults.KillSelf()
}

// Record reports an event. It is with the parent when Record returns, whatever happens next.
func (s *Seat) Record(e history.Event) { s.say(said{Event: &e}) }

// Now returns the parent's clock.
func (s *Seat) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Wait asks the parent to advance its clock.
func (s *Seat) Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.say(saying{Wait: d})
	return s.hear()
}

// hear takes the parent's clock as the parent tells it.
func (s *Seat) hear() error {
	line, err := s.in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the parent's clock: %w", err)
	}
	var t told
	if err := json.Unmarshal(line, &t); err != nil {
		return fmt.Errorf("the parent's clock: %w", err)
	}
	s.mu.Lock()
	s.now = t.Now
	s.mu.Unlock()
	return nil
}

// End reports how the life ended by itself.
func (s *Seat) End(end history.End, err error) {
	e := ended{End: end}
	if err != nil {
		e.Error = err.Error()
	}
	s.say(saying{Ended: &e})
}

// Begin reports that the program itself begins.
func (s *Seat) Begin() { s.say(saying{Begins: true}) }

func (s *Seat) say(m any) {
	line, err := json.Marshal(m)
	if err != nil {
		s.alone(err)
	}
	s.write(s.out, append(line, '\n'))
}

// write writes one line in one write, so that a kill leaves whole lines.
func (s *Seat) write(to *os.File, line []byte) {
	s.mu.Lock()
	_, err := to.Write(line)
	s.mu.Unlock()
	if err != nil {
		s.alone(err)
	}
}

// alone ends a child whose parent is gone: without it nothing it does can be judged.
func (s *Seat) alone(err error) {
	fmt.Fprintln(os.Stderr, "paytwice child: the parent does not listen:", err)
	os.Exit(1)
}
