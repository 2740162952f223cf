package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// plainEvery is how often progress is said where no terminal watches; 0 says every step, and nothing between
// them. Tests of what is said beside it make it long.
var plainEvery = 10 * time.Second

// redrawEvery keeps the times of a bar right while the work has nothing new to say.
const redrawEvery = time.Second

// progress shows how far long work is: a bar on a terminal, a line now and then elsewhere, whether or not the work
// has anything new to say. Its methods may be called from several goroutines.
type progress struct {
	out  io.Writer
	what string
	// terminal is where a bar can be drawn; nil for lines. The bar is made once it is known whether there is a
	// total.
	terminal *os.File
	bar      *progressbar.ProgressBar
	quiet    bool
	// said, if not nil, is called instead of all else.
	said func()

	mu          sync.Mutex
	done, total int
	// began is when the phase of the work did, whose count began at from.
	began time.Time
	from  int
	// ticking is the goroutine that says again what there is; stop ends it.
	ticking sync.WaitGroup
	stop    chan struct{}
}

// progress begins to show some work. Whoever asks for it calls end.
func (p *program) progress(what string, quiet bool) *progress {
	g := &progress{out: p.errOut, what: what, quiet: quiet, stop: make(chan struct{})}
	if f, ok := p.errOut.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		g.terminal = f
	}
	switch {
	case quiet:
	case g.terminal != nil:
		g.ticking.Go(func() { g.tick(redrawEvery) })
	case plainEvery > 0:
		g.ticking.Go(func() { g.tick(plainEvery) })
	}
	return g
}

// tick says how far the work is, again and again: a long wave of it reports nothing by itself.
func (g *progress) tick(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			g.again()
		case <-g.stop:
			return
		}
	}
}

// again says what was last reported.
func (g *progress) again() {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.terminal == nil:
		g.line()
	case g.bar != nil:
		_ = g.bar.RenderBlank() // at more than 0 it draws what there is
	}
}

// within returns the progress of one of several equal pieces of work, of which some are done: whatever is said
// of the piece itself, what is shown is how many are done.
func (g *progress) within(done, total int) *progress {
	return &progress{said: func() { g.at(done, total) }}
}

// at says how much is done of a total; a total of 0 or less is unknown.
func (g *progress) at(done, total int) {
	if g.said != nil {
		g.said()
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.began.IsZero() || done < g.done || g.finished() {
		g.began, g.from, g.bar = time.Now(), done, nil
	}
	g.done, g.total = done, total
	switch {
	case g.quiet:
	case g.terminal != nil:
		g.draw(done, total)
	case plainEvery == 0:
		g.line()
	}
}

// finished reports whether the bar's count came to its end, after which it draws no more, whatever it is told.
func (g *progress) finished() bool { return g.bar != nil && g.bar.IsFinished() }

// line is what is said where there is no terminal.
func (g *progress) line() {
	if g.total > 0 {
		fmt.Fprintf(g.out, "%s: %d of %d%s\n", g.what, g.done, g.total, g.left())
	} else {
		fmt.Fprintf(g.out, "%s: %d\n", g.what, g.done)
	}
}

// left estimates how long the phase still takes; nothing where that is too early to say, or not worth it.
func (g *progress) left() string {
	if g.done <= g.from || g.done >= g.total {
		return ""
	}
	rest := time.Since(g.began) / time.Duration(g.done-g.from) * time.Duration(g.total-g.done)
	if rest < time.Second {
		return ""
	}
	return ", about " + rest.Round(time.Second).String() + " left"
}

// draw shows count, rate and time left; where there is no total there is no time left either. It uses no colour.
func (g *progress) draw(done, total int) {
	if total <= 0 {
		total = -1
	}
	if g.bar == nil {
		g.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(g.terminal), progressbar.OptionSetDescription(g.what), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true), progressbar.OptionClearOnFinish(),
			progressbar.OptionEnableColorCodes(false), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetSpinnerChangeInterval(0))
	} else if total > 0 && total != g.bar.GetMax() {
		g.bar.ChangeMax(total)
	}
	_ = g.bar.Set(done)
}

// end clears the bar. Nothing is said after it.
func (g *progress) end() {
	close(g.stop)
	g.ticking.Wait()
	if g.bar != nil {
		_ = g.bar.Finish()
	}
}
