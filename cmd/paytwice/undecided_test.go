package main

import (
	"fmt"
	"testing"

	"github.com/paytwice/paytwice/explorer/history"
)

// TestUndecided: the last line of a run that decided nothing says how much of it is open, not only what the last of
// its searches left out.
func TestUndecided(t *testing.T) {
	whole, first, last := history.Exploration{Complete: true}, history.Exploration{LeftOut: "the bound of 3 states was reached"}, history.Exploration{LeftOut: "1 of 1 states found were not searched"}
	found := history.Exploration{Complete: true, Violations: []history.Counterexample{{Invariant: "trail"}}}
	const stopped = "the run was interrupted: 19 of 20 searches were not finished"
	for name, c := range map[string]struct {
		runs    []history.Exploration
		stopped string
		want    string
	}{
		"whole":                      {[]history.Exploration{whole}, "", "<nil>"},
		"one":                        {[]history.Exploration{whole, first}, "", "undecided: the bound of 3 states was reached"},
		"two":                        {[]history.Exploration{first, whole, last}, "", "undecided: 2 of 3 searches were not finished; the first: the bound of 3 states was reached"},
		"interrupted":                {[]history.Exploration{whole, last}, stopped, "undecided: " + stopped},
		"interrupted before the end": {[]history.Exploration{whole}, stopped, "undecided: " + stopped},
		"interrupted, with a find":   {[]history.Exploration{found, last}, stopped, "1 violation(s)"},
	} {
		if got := fmt.Sprint(leftOpen(worst(c.runs), c.stopped)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestUndecided_GoesOn: a run that left its report in JSON says how it goes on.
func TestUndecided_GoesOn(t *testing.T) {
	const stopped = "the run was interrupted: 19 of 20 searches were not finished"
	for want, to := range map[string]*destination{
		"undecided: " + stopped + "; the same command with --resume check.json goes on": {format: "json", target: "check.json"},
		"undecided: " + stopped: {format: "text", target: "check.txt"},
	} {
		if got := fmt.Sprint(leftOpen(nil, to.goesOn(stopped))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if err := leftOpen(nil, (&destination{format: "json", target: "check.json"}).goesOn("")); err != nil {
		t.Error(err)
	}
}

// TestUndecided_Exec: a sweep that was stopped says so once.
func TestUndecided_Exec(t *testing.T) {
	for left, want := range map[string]string{
		"": "interrupted",
		"the sweep was interrupted after 3 of 9 kills": "the sweep was interrupted after 3 of 9 kills",
		"the sweep failed after 0 of 0 kills":          "interrupted; the sweep failed after 0 of 0 kills",
	} {
		if got := stoppedExec(left); got != want {
			t.Errorf("%q: %s", left, got)
		}
	}
}
