package tour_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
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

const (
	unwritten = "One intent, one change: nothing had been written before the stop"
	found     = "One intent, one change: it had happened. The service was asked before anything was sent again, and its answer showed the change."
	twice     = "2 refunds, 19.90 CAD in all: the customer is paid more than once. The change had happened, the record did not say so, and nothing asked the service: the request was sent again."
)

// why says of each case, in the order of want, why it counts what it counts.
var why = []string{
	unwritten + ". The service was asked first, knew of no such change, and the request was sent.", found, found, found,
	unwritten + ", so sending it was safe.", twice, twice, twice,
}

// record is what the next process reads, with the id and without.
var record = map[bool]string{
	true:  "the record says: 797fbb5bbb9f8a7e pending, 1 call(s)",
	false: "the record says: the refund is not done (no id to ask about)",
}

// Each case of the lesson is explained by what happened in it, and its record is read as it is used.
func TestLesson_Why(t *testing.T) {
	l, err := tour.Lesson(context.Background(), matrix.Request{Mode: matrix.Simulate, Workers: 2, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range l.Cases {
		got = append(got, c.Told.Why.EN)
		for _, r := range c.Told.Rows {
			if r.Part == story.Checkpoint && r.What.EN != record[c.WithID] {
				t.Errorf("%s %t: %s", c.Point, c.WithID, r.What.EN)
			}
		}
	}
	if diff := cmp.Diff(why, got); diff != "" {
		t.Error(diff)
	}
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
			if wrong := untrue(m.Stories[n]); c.Ticket == scenarios.DefaultTicket && wrong != "" {
				t.Errorf("%s %s %s: %q: %s", c.Strategy, c.Provider, c.Point, m.Stories[n].Why.EN, wrong)
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

// untrue returns what the rows of a story of one change say against its sentence.
func untrue(s *story.Story) string {
	fault, asked, before, after, again := false, false, 0, 0, 0
	for _, r := range s.Rows {
		switch {
		case r.Kind == story.Fault:
			fault = true
		case r.Kind == story.Reconcile:
			asked = true
		case r.Part == story.Write && !fault:
			before++
		case r.Part == story.Write:
			after++
			if r.Kind == story.Plain {
				again++
			}
		}
	}
	says := func(words string) bool { return strings.Contains(s.Why.EN, words) }
	switch {
	case says("nothing asked") && asked, says("sending it was safe") && asked, says("asked") && !says("nothing asked") && !asked:
		return "was the service asked?"
	case says("nothing had been written before") && before > 0, says("had happened") && before == 0:
		return "was anything written before the stop?"
	case says("nothing was sent again") && after > 0, says("was sent again") && !says("anything was sent again") && !says("nothing was sent again") && after == 0:
		return "was anything sent again?"
	case says("recognised the repeat") != (again > 0):
		return "was a repeat recognised?"
	}
	return ""
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
