package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestProgress_Silent: where no terminal watches there is a line every ten seconds, also from work that is silent,
// with the time left where there is a total, and none once it has ended.
func TestProgress_Silent(t *testing.T) {
	defer func(old time.Duration) { plainEvery = old }(plainEvery)
	plainEvery = 10 * time.Second
	for name, c := range map[string]struct {
		quiet bool
		work  func(*progress)
		want  string
	}{
		"silent":  {false, func(*progress) { time.Sleep(35 * time.Second) }, "work: 0\nwork: 0\nwork: 0\n"},
		"quiet":   {true, func(*progress) { time.Sleep(35 * time.Second) }, ""},
		"short":   {false, func(g *progress) { g.at(1, 2); time.Sleep(9 * time.Second) }, ""},
		"no more": {false, func(g *progress) { time.Sleep(time.Second); g.at(7, 0); time.Sleep(20 * time.Second) }, "work: 7\nwork: 7\n"},
		"a total": {false, func(g *progress) {
			g.at(1, 8)
			time.Sleep(12 * time.Second)
			g.at(3, 8)
			g.at(4, 8)
			time.Sleep(10 * time.Second)
		}, "work: 1 of 8\nwork: 4 of 8, about 27s left\n"},
		"a piece": {false, func(g *progress) { g.within(2, 5).at(900, 0); time.Sleep(11 * time.Second) }, "work: 2 of 5\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var errOut bytes.Buffer
			g := (&program{errOut: &errOut}).progress("work", c.quiet)
			c.work(g)
			g.end()
			time.Sleep(time.Minute)
			if diff := cmp.Diff(c.want, errOut.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		})
	}
}
