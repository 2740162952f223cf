package explorer

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// length says how much of a long life is told.
type length bool

const (
	// shortened leaves out points in the middle.
	shortened length = false
	// whole is for somebody who asked for this one plan.
	whole length = true
)

// timeline writes the lives, a line a point.
func (s *tester) timeline(lives []history.Life, l length) string {
	var b strings.Builder
	for i, life := range lives {
		later := ""
		if i > 0 && s.p.Downtime > 0 {
			later = fmt.Sprintf("  (%s later)", s.p.Downtime)
		}
		fmt.Fprintf(&b, "  life %d%s\n", i+1, later)
		passed(&b, life.Events, l)
		if life.Error != "" && !life.Hung && life.Ended != history.Failed {
			fmt.Fprintf(&b, "    FAILED THE TEST: %s\n", strings.ReplaceAll(life.Error, "\n", "\n    "))
		}
		switch {
		case life.Hung:
			b.WriteString("    HUNG, and was ended\n")
		case life.Ended == history.Killed:
			fmt.Fprintf(&b, "    KILLED at %s\n", life.At)
		case life.Ended == history.Failed:
			fmt.Fprintf(&b, "    ended with an error: %s\n", firstLineOf(life.Error))
		default:
			fmt.Fprintf(&b, "    ended: %s\n", life.Ended)
		}
		if l == whole {
			b.WriteString(life.Output)
		}
	}
	return b.String()
}

// passed writes the points of a life, and how many are left out between two of them.
func passed(b *strings.Builder, events []history.Event, l length) {
	for j := 0; j < len(events); j++ {
		if n := leftOut(events, j); l == shortened && n > 1 {
			fmt.Fprintf(b, "    ... %d more points\n", n)
			j += n - 1
			continue
		}
		answered := ""
		if events[j].Answer != "" {
			answered = "  answered " + events[j].Answer
		}
		fmt.Fprintf(b, "    %-32s %s%s\n", events[j].Point(), shortFile(events[j].Where), answered)
	}
}

// leftOut counts the points from one on that a shortened life goes without: those in its middle, but for what the
// provider was asked, since the second request is what a failure is about. Of very many requests the first and the
// last are told.
func leftOut(events []history.Event, from int) int {
	const most, mostCalls = 12, 120
	n := 0
	for j := from; j < len(events)-most/2 && j >= most/2; j++ {
		seam := events[j].Seam
		call := seam == providerSeam || seam == httpSeam
		if call && (j < mostCalls/2 || j >= len(events)-mostCalls/2) {
			break
		}
		n++
	}
	return n
}

func firstLineOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func shortFile(where string) string {
	if where == "" {
		return ""
	}
	return filepath.Base(where)
}
