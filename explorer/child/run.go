package child

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Spec says which process to start and what it is told.
type Spec struct {
	// Path and Args start the binary; Dir is its working folder; Environ is added to the environment.
	Path    string
	Args    []string
	Dir     string
	Environ []string
	Order   Order
	// Stdout takes the child's standard output; nil discards it.
	Stdout io.Writer
	// Slack is by how much a sleep of the child may end later than asked; 0 leaves that to the system. A Go
	// program watches itself fifty microseconds at a time, which costs a short life a tenth of its work.
	Slack time.Duration
	// Timeout ends an incarnation that hangs; 0 means DefaultTimeout.
	Timeout time.Duration
	// Event is told of each event in the order of its arrival, one at a time. Of those that Seat.ReportPasses
	// reports it is told as late as it may be: when something else arrives, at Settle, and at the end.
	Event func(history.Event)
	// Begins is told when the program itself begins; it may be nil.
	Begins func()
	// Wait advances the parent's clock and returns the new time.
	Wait func(time.Duration) time.Time
	// Paused is called while the child stands still at a point where it stopped itself; it returns the
	// time when the child goes on.
	Paused func(faults.Point) time.Time
	// Planned is the kill this life is to die of, if any; whoever carries it out is checked.
	Planned *faults.Point
	// Alarm is a text that must not be lost in what comes after it on standard error; empty if there is none.
	Alarm string
}

// DefaultTimeout ends an incarnation that hangs.
const DefaultTimeout = 30 * time.Second

// maxStderr bounds what is kept of a child's standard error.
const maxStderr = 16 << 10

// stderrDelay is how long the parent waits for the rest of standard error once the child is gone, and how long it
// waits for the next line before it looks whether the child is.
const stderrDelay = time.Second

// Lived is one incarnation as the parent saw it.
type Lived struct {
	Ended history.End
	Error string
	PID   int
	// Killed: the wait status said SIGKILL, and the planned point is where it struck.
	Killed bool
	// Hung: the time ran out, and the parent ended it.
	Hung bool
	// Exit is the status of a process that ended by itself and did not say how, such as "exit status 3".
	Exit   string
	Stderr string
	// Alarm is standard error from Spec.Alarm on; empty if that is not there.
	Alarm string
}

// NotLandedError is returned when a planned kill did not end the process, or not at its point.
type NotLandedError struct {
	Point  faults.Point
	Reason string
	Stderr string
}

func (e *NotLandedError) Error() string {
	text := fmt.Sprintf("the kill at %s did not land: %s", e.Point, e.Reason)
	if e.Stderr != "" {
		text += "\n" + e.Stderr
	}
	return text
}

// Process is a child that runs. Its methods may be called from any goroutine.
type Process struct {
	cmd  *exec.Cmd
	spec Spec
	log  *passLog

	mu     sync.Mutex
	struck string
	gone   bool
	passed bool // the child reported the planned point

	ended atomic.Bool // the parent ended it, since the time ran out or nobody waits any more

	// These are known to whoever waits for the end.
	points int   // how many the child says it reported in its pass log
	logErr error // of the pass log
	closed bool  // the child closed its pipe and lived on
}

// Start starts a child. Call the function it returns exactly once: it waits for the child's end.
func Start(ctx context.Context, spec Spec) (*Process, func() (Lived, error), error) {
	pipes, err := newPipes()
	if err != nil {
		return nil, nil, fmt.Errorf("pipe: %w", err)
	}
	stderr := &tail{most: maxStderr, alarm: spec.Alarm}
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir, cmd.Stderr = spec.Dir, stderr
	cmd.Env = append(append(os.Environ(), spec.Environ...), Env+"="+spec.Order.Task)
	cmd.ExtraFiles = pipes.childs
	cmd.Stdout = spec.Stdout
	// A process that left the group and kept standard error open must not keep the parent waiting.
	cmd.WaitDelay = stderrDelay
	ownGroup(cmd)
	err = withSlack(spec.Slack, func() error { return startListed(cmd) })
	pipes.started()
	if err != nil {
		pipes.close()
		return nil, nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	p := &Process{cmd: cmd, spec: spec}
	p.log = &passLog{file: pipes.passes, tell: p.tell, now: spec.Order.Now}
	return p, func() (Lived, error) { return p.wait(ctx, pipes, stderr) }, nil
}

// Settle tells Spec.Event of every point that Seat.ReportPasses reported so far. What the other side of a seam sees
// of the child comes by another way than its report; after Settle the report is not behind. It must not be called
// from Spec.Event. A report that can't be read is an error of the life's end.
func (p *Process) Settle() { _ = p.log.catchUp() }

// PID returns the process id of the child.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill sends SIGKILL from outside, because the plan says so at a point that only the other side of a seam
// can see. A process that ended already is left alone.
func (p *Process) Kill(at faults.Point) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return
	}
	p.struck = at.String()
	_ = p.cmd.Process.Kill()
}

func (p *Process) wait(ctx context.Context, pipes *pipes, stderr *tail) (Lived, error) {
	defer pipes.close()
	timeout := p.spec.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	hung, stop := make(chan struct{}), make(chan struct{})
	var guard sync.WaitGroup
	guard.Go(func() {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		select {
		case <-stop:
			return
		case <-timer.C:
			close(hung)
		case <-ctx.Done():
		}
		killGroup(p.cmd)
		p.ended.Store(true)
	})
	lived := Lived{PID: p.PID()}
	talkErr := p.talk(pipes, &lived)
	p.closed = talkErr == nil && lived.Ended == "" && p.whereStruck() == "" && !goes(p.PID())
	// The child is gone or going and not reaped yet, so its group is certainly still the one that this
	// package started: whatever it left there ends with it.
	killGroup(p.cmd)
	close(stop)
	guard.Wait() // Once the child is reaped its number may be another's: nothing may be killed by it then.
	unlist(p.cmd)
	waitErr := p.cmd.Wait()
	p.logErr = p.log.whole(p.points)
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
	lived.Stderr, lived.Alarm = stderr.String(), stderr.sinceAlarm()
	select {
	case <-hung:
		lived.Hung = true
	default:
	}
	if err := ctx.Err(); err != nil {
		return lived, err
	}
	return lived, p.judge(&lived, p.whereStruck(), waitErr, talkErr)
}

func (p *Process) whereStruck() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.struck
}

// judge compares how the process ended with how it was to end.
func (p *Process) judge(l *Lived, struck string, waitErr, talkErr error) error {
	killed := wasKilled(p.cmd.ProcessState)
	planned := p.spec.Planned
	fail := func(format string, args ...any) error {
		return &NotLandedError{*planned, fmt.Sprintf(format, args...), l.Stderr}
	}
	report := func(err error) error { return fmt.Errorf("the child's report: %w\n%s", err, l.Stderr) }
	switch {
	case l.Hung:
		l.Ended, l.Error = history.Failed, "it hung and was ended"
		return nil
	case p.logErr != nil:
		return report(p.logErr)
	case killed && planned != nil && struck == planned.String():
		l.Ended, l.Killed = history.Killed, true
		return nil
	case talkErr != nil:
		return report(talkErr)
	case p.closed:
		return report(fmt.Errorf("the child closed the pipe on which it reports, and lived on: %s", closesOthers))
	case killed && planned != nil:
		return fail("the process was killed, and not at that point (%q)", struck)
	case killed && l.Ended == "":
		return fmt.Errorf("the child was killed, and the plan did not say so\n%s", l.Stderr)
	case planned == nil && struck != "":
		return fmt.Errorf("the child was struck at %s, and the plan did not say so\n%s", struck, l.Stderr)
	case struck != "":
		return fail("the process ended by itself (%s) although it was struck", p.cmd.ProcessState)
	case p.passed:
		return fail("the process passed the point and ended by itself (%s)", p.cmd.ProcessState)
	case l.Ended != "" && l.Ended != history.Failed && !p.cmd.ProcessState.Success():
		return fmt.Errorf("the child said that it had ended well (%s), and its status says otherwise: %s\n%s", l.Ended, p.cmd.ProcessState, l.Stderr)
	case l.Ended == "":
		l.Ended, l.Error, l.Exit = history.Failed, firstLine(l.Stderr, fmt.Sprint(waitErr)), p.cmd.ProcessState.String()
	}
	return nil
}

func firstLine(text, otherwise string) string {
	if i := bytes.IndexByte([]byte(text), '\n'); i > 0 {
		return text[:i]
	}
	if text != "" {
		return text
	}
	return otherwise
}

// talk gives the order, takes what the child says until it is gone, and answers its waits.
func (p *Process) talk(pipes *pipes, l *Lived) error {
	order, err := json.Marshal(p.spec.Order)
	if err != nil {
		return err
	}
	// A child that is gone before it reads its order says nothing; that shows in its wait status.
	_, _ = pipes.told.Write(append(order, '\n'))
	lines := bufio.NewReader(newReport(pipes.says, func() bool { return p.ended.Load() || exited(p.PID()) }))
	for {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = p.log.catchUp() // what the child wrote there came first
		}
		if err == nil {
			err = p.heard(line, pipes.told, l)
		}
		if err != nil {
			killGroup(p.cmd)
			return err
		}
	}
}

// heard takes one line.
func (p *Process) heard(line []byte, tell io.Writer, l *Lived) error {
	var m said
	if err := json.Unmarshal(line, &m); err != nil {
		return noMessage(err)
	}
	p.points = max(p.points, m.Passed)
	switch {
	case m.Event != nil:
		p.tell(*m.Event)
	case m.Begins:
		if p.spec.Begins != nil {
			p.spec.Begins()
		}
	case m.Struck != "":
		p.mu.Lock()
		p.struck = m.Struck
		p.mu.Unlock()
	case m.Paused != "":
		return p.pausedItself(m.Paused, tell)
	case m.Ended != nil:
		l.Ended, l.Error = m.Ended.End, m.Ended.Error
	case m.Wait > 0:
		answer, err := json.Marshal(told{p.spec.Wait(m.Wait)})
		if err != nil {
			return err
		}
		_, _ = tell.Write(append(answer, '\n'))
	}
	return nil
}

// tell passes an event on.
func (p *Process) tell(e history.Event) {
	if p.spec.Planned != nil && e.Point() == p.spec.Planned.String() {
		p.mu.Lock()
		p.passed = true
		p.mu.Unlock()
	}
	p.spec.Event(e)
}

// readLine returns the next whole line. What a kill left of a line is not one.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(line) > maxLine:
			return nil, errTooLong
		}
	}
}
