package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/paytwice/paytwice/faults"
)

// Pause stops the child from outside with SIGSTOP, calls meanwhile while it stands still, and wakes it
// with SIGCONT; both are checked by its wait status. It is how a pause strikes at a point that only the
// other side of a seam can see.
func (p *Process) Pause(meanwhile func()) error {
	if err := stop(p.PID()); err != nil {
		return fmt.Errorf("stop process %d: %w", p.PID(), err)
	}
	return p.standStill(meanwhile)
}

// standStill waits until the child has stopped, calls meanwhile, and wakes it.
func (p *Process) standStill(meanwhile func()) error {
	if err := stopped(p.PID()); err != nil {
		return err
	}
	meanwhile()
	if err := wake(p.PID()); err != nil {
		return fmt.Errorf("wake process %d: %w", p.PID(), err)
	}
	return woken(p.PID())
}

// pausedItself answers a child that stops itself at a point, and tells it the time when it is woken.
func (p *Process) pausedItself(at string, tell io.Writer) error {
	point, err := faults.ParsePoint(at)
	if err != nil {
		return err
	}
	if p.spec.Paused == nil {
		killGroup(p.cmd)
		return errors.New("the child stands still, and nobody expected it")
	}
	var now time.Time
	if err := p.standStill(func() { now = p.spec.Paused(point) }); err != nil {
		killGroup(p.cmd)
		return err
	}
	answer, err := json.Marshal(told{now})
	if err == nil {
		_, _ = tell.Write(append(answer, '\n'))
	}
	return err
}

// pause stops this process at a point until the parent wakes it, and learns what time it is then.
func (s *Seat) pause(e faults.Event) {
	s.say(saying{Paused: e.Point.String()})
	if err := stopSelf(); err == nil {
		err = s.hear()
		if err == nil {
			return
		}
	}
	// The parent sees that the child did not stand still, or is gone.
	faults.KillSelf()
}

// SetNow tells the child the parent's clock as it came with an answer.
func (s *Seat) SetNow(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.After(s.now) {
		s.now = now
	}
}
