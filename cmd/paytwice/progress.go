package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// plainEvery is how often progress is said where no terminal watches. Tests of what is said beside it make it long.
var plainEvery = 10 * time.Second

// progress shows how far long work is: a bar on a terminal, a line now and then elsewhere.
type progress struct {
	out  io.Writer
	what string
	// terminal is where a bar can be drawn; nil for lines. The bar is made once it is known whether there is a
	// total.
	terminal *os.File
	bar      *progressbar.ProgressBar
	last     time.Time
	quiet    bool
	// said, if not nil, is called instead of all else.
	said func()
}

func (p *program) progress(what string, quiet bool) *progress {
	g := &progress{out: p.errOut, what: what, quiet: quiet, last: time.Now()}
	if f, ok := p.errOut.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		g.terminal = f
	}
	return g
}

// within returns the progress of one of several equal pieces of work, of which some are done: whatever is said
// of the piece itself, what is shown is how many are done.
func (g *progress) within(done, total int) *progress {
	return &progress{said: func() { g.at(done, total) }}
}

// at says how much is done of a total; a total of 0 or less is unknown.
func (g *progress) at(done, total int) {
	switch {
	case g.said != nil:
		g.said()
	case g.quiet:
	case g.terminal != nil:
		g.draw(done, total)
	case time.Since(g.last) >= plainEvery:
		g.last = time.Now()
		if total > 0 {
			fmt.Fprintf(g.out, "%s: %d of %d\n", g.what, done, total)
		} else {
			fmt.Fprintf(g.out, "%s: %d\n", g.what, done)
		}
	}
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

// end clears the bar.
func (g *progress) end() {
	if g.bar != nil {
		_ = g.bar.Finish()
	}
}
