package tour_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/explorer/story"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/matrix"
	"github.com/paytwice/paytwice/scenarios/tour"
)

func TestMain(m *testing.M) {
	catalog.ChildMain()
	os.Exit(m.Run())
}

// want is the lesson's table: refunds, cents, calls, lives.
var want = []string{
	"before-write true: 1 995 1 2", "during-call true: 1 995 1 2", "timeout true: 1 995 1 1", "after-write true: 1 995 1 2",
	"before-write false: 1 995 1 2", "during-call false: 2 1990 2 2", "timeout false: 2 1990 2 1", "after-write false: 2 1990 2 2",
}

// The lesson's counts, by real kills and in memory alike.
func TestLesson(t *testing.T) {
	for _, mode := range []string{matrix.Kill, matrix.Simulate} {
		if mode == matrix.Kill && !child.Supported {
			continue
		}
		l, err := tour.Lesson(context.Background(), matrix.Request{Mode: mode, Workers: 2, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if l.Mode != mode || l.Ticket != "T-90104" || l.Variant != "agent_structured" || l.Model != "chat-strong" || l.Repeat != 1 {
			t.Errorf("%s: %s %s %s %d", l.Mode, l.Ticket, l.Variant, l.Model, l.Repeat)
		}
		var got []string
		for _, c := range l.Cases {
			got = append(got, fmt.Sprintf("%s %t: %d %d %d %d", c.Point, c.WithID, c.Cell.Effects, c.Cell.AmountCents, c.Cell.Calls, c.Cell.Incarnations))
			if len(c.Ledger) != c.Cell.Effects || len(c.Told.Registers) != c.Cell.Incarnations {
				t.Errorf("%s %t: %d refunds, %d lives told", c.Point, c.WithID, len(c.Ledger), len(c.Told.Registers))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", mode, diff)
		}
	}
}

// Each cell of a map has the story of its own plan, whatever the number of workers, and the default page
// stays below a megabyte.
func TestMap(t *testing.T) {
	forTheGate(t)
	var pages [2][]byte
	for i, workers := range []int{1, 4} {
		r := matrix.Request{Mode: matrix.Simulate, Workers: workers, Timeout: time.Minute, Points: append(tour.LessonPoints(), matrix.MidLoop)}
		for _, s := range strategy.Names() {
			for _, p := range scenarios.ProviderNames() {
				r.Settings = append(r.Settings, scenarios.Setting{Scenario: scenarios.Refund, Strategy: s, Provider: p})
			}
			// A ticket of two actions: its cells share a plan where the point is no write of their own.
			r.Settings = append(r.Settings, scenarios.Setting{Scenario: scenarios.Refund, Ticket: "T-90103", Strategy: s})
		}
		m, _, err := tour.Map(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		for n, c := range m.Matrix.Cells {
			last := m.Stories[n].Registers[len(m.Stories[n].Registers)-1]
			// Each entry of the ledger has its row that wrote, and no row tells of another.
			if n := wrote(m.Stories[n]); n != len(last.Ledger) {
				t.Errorf("%s %s %s: %d rows that wrote, %d entries in the ledger", c.Strategy, c.Provider, c.Point, n, len(last.Ledger))
			}
			made := 0
			for _, e := range last.Ledger {
				if !e.Reversed && e.Intent == c.OperationID {
					made++
				}
			}
			if made != c.Effects || last.Life != c.Incarnations {
				t.Errorf("%s %s %s: the story ends with %d effects in life %d, the cell with %d in %d", c.Strategy, c.Provider, c.Point, made, last.Life, c.Effects, c.Incarnations)
			}
		}
		var b bytes.Buffer
		if err := page.Write(&b, page.Explorer{Map: m}); err != nil {
			t.Fatal(err)
		}
		if pages[i] = b.Bytes(); len(pages[i]) > 1<<20 {
			t.Errorf("the page has %d bytes", len(pages[i]))
		}
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Error("the page depends on the number of workers")
	}
}

// wrote counts the rows of a story that are marked as a call that wrote.
func wrote(s *story.Story) int {
	n := 0
	for _, r := range s.Rows {
		if r.Kind == story.Wrote {
			n++
		}
	}
	return n
}

// An interruption is an error, never a page of what was filled until then.
func TestMap_Interrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	r := matrix.Request{Mode: matrix.Simulate, Workers: 1, Timeout: time.Minute, Points: tour.LessonPoints(), Settings: []scenarios.Setting{{Scenario: scenarios.Refund}}}
	r.Progress = func(int, int) { stop() }
	if _, _, err := tour.Map(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("a map that was interrupted: %v", err)
	}
	if _, err := tour.Lesson(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("a lesson that was interrupted: %v", err)
	}
}
