package child_test

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
)

func init() {
	tasks["slack"] = func(s *child.Seat) int {
		say(s, fmt.Sprint(slackHere()))
		s.End(history.Done, nil)
		return 0
	}
}

// slackHere returns by how many nanoseconds a sleep of this thread may be late, -1 where nobody knows.
func slackHere() int {
	n, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return -1
	}
	return n
}

// The slack is the child's alone: the parent's threads keep theirs, and so does the next child.
func TestRun_Slack(t *testing.T) {
	own := slackHere()
	if own < 0 {
		t.Skip("needs a system that tells the timer slack")
	}
	for _, c := range []struct {
		slack time.Duration
		want  int
	}{{0, own}, {3 * time.Millisecond, 3_000_000}, {0, own}} {
		p := newParent(t, "slack")
		p.spec.Slack = c.slack
		if _, err := p.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		same(t, "the child's slack", p.said(), []string{fmt.Sprint(c.want)})
	}
}
