package faults_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
)

func point(t testing.TB, text string) faults.Point {
	t.Helper()
	p, err := faults.ParsePoint(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestParse(t *testing.T) {
	refund := point(t, "payment.request_refund/after#1")
	during := point(t, "payment.request_refund/during#1")
	save := point(t, "checkpoint.save/before#1")
	for _, c := range []struct {
		text string
		want faults.Plan
	}{
		{"run", faults.Plan{}},
		{"run; run", faults.Plan{{}, {}}},
		{"kill payment.request_refund/after#1; kill checkpoint.save/before#1", faults.Plan{{faults.KillAt(refund)}, {faults.KillAt(save)}}},
		{"run; kill checkpoint.save/before#1", faults.Plan{{}, {faults.KillAt(save)}}},
		{"lose-response payment.request_refund/during#1, kill checkpoint.save/before#1", faults.Plan{{{Verb: faults.LoseResponse, Point: during}, faults.KillAt(save)}}},
		{"lose-request payment.request_refund/during#1", faults.Plan{{{Verb: faults.LoseRequest, Point: during}}}},
		{"deliver-late 30s payment.request_refund/during#1", faults.Plan{{{Verb: faults.DeliverLate, Duration: 30 * time.Second, Point: during}}}},
		{"unavailable payment.request_refund/during#1", faults.Plan{{{Verb: faults.Unavailable, Point: during}}}},
		{"refuse payment.request_refund/during#1", faults.Plan{{{Verb: faults.Refuse, Point: during}}}},
		{"lag 5s payment.request_refund/during#1", faults.Plan{{{Verb: faults.Lag, Duration: 5 * time.Second, Point: during}}}},
		{"pause 2m payment.request_refund/after#1", faults.Plan{{{Verb: faults.Pause, Duration: 2 * time.Minute, Point: refund}}}},
		{"advance 25h", faults.Plan{{{Verb: faults.Advance, Duration: 25 * time.Hour}}}},
		{"advance 1h30m", faults.Plan{{{Verb: faults.Advance, Duration: 90 * time.Minute}}}},
		{"advance 1h0m5s", faults.Plan{{{Verb: faults.Advance, Duration: time.Hour + 5*time.Second}}}},
		{"world colleague-refunds", faults.Plan{{{Verb: faults.World, Name: "colleague-refunds"}}}},
		{"resumers 3", faults.Plan{{{Verb: faults.Resumers, Count: 3}}}},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := faults.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "plan", got, c.want)
			same(t, "text", got.String(), c.text)
		})
	}
}

func TestParse_Blanks(t *testing.T) {
	got, err := faults.Parse("  kill   a.b/after#1 ,advance 60m;run  ")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "text", got.String(), "kill a.b/after#1, advance 1h; run")
}

// Each error says where the text stops being a plan; columns count bytes from 1.
func TestParse_Errors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		column     int
		reason     string
	}{
		{"nothing", "", 1, "an event is missing"},
		{"a life is missing", "kill a.b/after#1; ", 18, "an event is missing"},
		{"an event is missing", "kill a.b/after#1,, run", 18, "an event is missing"},
		{"mistyped verb", "kil a.b/after#1", 1, "did you mean kill?"},
		{"mistyped verb in a later life", "run; lose-respons a.b/during#1", 6, "did you mean lose-response?"},
		{"another word", "explode a.b/after#1", 1, "not one of run, kill"},
		{"upper case", "KILL a.b/after#1", 1, "unknown verb"},
		{"a tab", "kill\ta.b/after#1", 1, "unknown verb"},
		{"kill what", "kill", 5, "kill needs a point"},
		{"kill what, in front of another", "run; kill ; run", 11, "kill needs a point"},
		{"no number", "kill a.b/after", 6, "has no #number"},
		{"no position", "kill a.b#1", 6, "has no /position"},
		{"number 0", "kill a.b/after#0", 6, "is not 1 to"},
		{"number with a sign", "kill a.b/after#+1", 6, "is not 1 to"},
		{"number with zeros", "kill a.b/after#01", 6, "is not 1 to"},
		{"number too large", "kill a.b/after#1000001", 6, "is not 1 to"},
		{"another position", "kill a.b/between#1", 6, `position "between"`},
		{"no operation", "kill a/after#1", 6, "is not seam.operation"},
		{"upper case seam", "kill A.b/after#1", 6, "is not seam.operation"},
		{"too much", "kill a.b/after#1 now", 18, `"now" is too much after kill`},
		{"run at a point", "run a.b/after#1", 5, "too much after run"},
		{"run beside another", "run, kill a.b/after#1", 5, "run stands alone"},
		{"run twice", "run, run", 5, "run stands alone"},
		{"elsewhere than during", "lose-response a.b/after#1", 15, "stands at during only, not at after"},
		{"late by how much", "deliver-late", 13, "needs a duration"},
		{"late by a point", "deliver-late a.b/during#1", 14, "is not a duration above 0"},
		{"late by nothing", "deliver-late 0s a.b/during#1", 14, "is not a duration above 0"},
		{"late by less", "deliver-late -5s a.b/during#1", 14, "is not a duration above 0"},
		{"advance where", "advance 5s a.b/during#1", 12, "is too much after advance"},
		{"advance by a number", "advance 5", 9, "is not a duration above 0"},
		{"one resumer", "resumers 1", 10, "is not a number from 2 to 64"},
		{"many resumers", "resumers 65", 10, "is not a number from 2 to 64"},
		{"world of blanks", "world", 6, "needs a name"},
		{"world in capitals", "world X", 7, "is not a name"},
		{"too long", strings.Repeat(" ", faults.MaxPlanBytes) + "run", faults.MaxPlanBytes, "longer than"},
		{"too many lives", strings.Repeat("run;", faults.MaxLives) + "run", 4*faults.MaxLives + 1, "more than 64 lives"},
		{"too many events", strings.Repeat("advance 1s,", faults.MaxEvents) + "advance 1s", 11*faults.MaxEvents + 1, "more than 64 events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := faults.Parse(c.text)
			var bad *faults.ParseError
			if !errors.As(err, &bad) {
				t.Fatalf("got %v", err)
			}
			same(t, "column", bad.Column, c.column)
			if !strings.Contains(err.Error(), c.reason) {
				t.Errorf("got %v, want %q", err, c.reason)
			}
		})
	}
}

// names draws a name of a seam, an operation or a change of the world.
func names() *rapid.Generator[string] { return rapid.StringMatching(`[a-z][a-z0-9_-]{0,9}`) }

func points() *rapid.Generator[faults.Point] {
	return rapid.Custom(func(t *rapid.T) faults.Point {
		p := faults.Point{Site: faults.Site{Seam: names().Draw(t, "seam"), Operation: names().Draw(t, "operation")}}
		if rapid.Bool().Draw(t, "path") {
			p.Operation += "[" + rapid.StringMatching(`[!-"$-+.-:<-Z^-~]{1,8}`).Draw(t, "path") + "]"
		}
		p.Position = rapid.SampledFrom([]faults.Position{faults.Before, faults.DuringLost, faults.During, faults.After}).Draw(t, "position")
		p.N = rapid.IntRange(1, faults.MaxN).Draw(t, "n")
		return p
	})
}

func events() *rapid.Generator[faults.Event] {
	return rapid.Custom(func(t *rapid.T) faults.Event {
		e := faults.Event{Verb: rapid.SampledFrom(faults.Verbs()[1:]).Draw(t, "verb")}
		switch e.Verb {
		case faults.DeliverLate, faults.Lag, faults.Pause, faults.Advance:
			e.Duration = time.Duration(rapid.Int64Range(1, int64(1<<62)).Draw(t, "duration"))
			if rapid.Bool().Draw(t, "round") {
				e.Duration = time.Duration(rapid.IntRange(1, 100_000).Draw(t, "seconds")) * time.Second
			}
		case faults.World:
			e.Name = names().Draw(t, "name")
		case faults.Resumers:
			e.Count = rapid.IntRange(2, 64).Draw(t, "count")
		}
		if e.Verb.AtPoint() {
			if e.Point = points().Draw(t, "point"); !e.Verb.AnyPosition() {
				e.Point.Position = faults.During
			}
		}
		return e
	})
}

func plans() *rapid.Generator[faults.Plan] {
	return rapid.Custom(func(t *rapid.T) faults.Plan {
		p := faults.Plan{}
		for range rapid.IntRange(0, 4).Draw(t, "lives") {
			p = append(p, append(faults.Life{}, rapid.SliceOfN(events(), 0, 4).Draw(t, "life")...))
		}
		if len(p) == 1 && len(p[0]) == 0 {
			p = faults.Plan{} // both print as run
		}
		return p
	})
}

// Printing and parsing are inverse, also as JSON.
func TestPlan_PrintParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := plans().Draw(t, "plan")
		back, err := faults.Parse(p.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Fatal(diff)
		}
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again faults.Plan
		if err := json.Unmarshal(data, &again); err != nil || again.String() != p.String() {
			t.Fatalf("%s came back as %s: %v", data, again, err)
		}
	})
}

// Whatever text is a plan prints as a plan, and that text is its own.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"run", "kill a.b/after#1; run", "deliver-late 30s payment.request_refund/during#2, pause 2m c.d/before#1",
		"advance 25h; world w; resumers 3", "kill file.write[a/b.txt]/after#1", "advance 1h0m0.5s", "kill a.b/", "lag 1µs a.b/during#1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := faults.Parse(text)
		if err != nil {
			var bad *faults.ParseError
			if !errors.As(err, &bad) || bad.Column < 1 || bad.Column > len(text)+1 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		printed := p.String()
		if len(printed) > faults.MaxPlanBytes {
			return
		}
		back, err := faults.Parse(printed)
		if err != nil {
			t.Fatalf("%q printed as %q: %v", text, printed, err)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPlan_Measures(t *testing.T) {
	p, err := faults.Parse("kill a.b/after#1, advance 1s; run; world w, lose-request c.d/during#2; advance 1s")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "faults", p.Faults(), 5)
	same(t, "life 1", p.Life(1), faults.Life{})
	same(t, "past the end", p.Life(9), faults.Life(nil))
	last, ok := p.Last()
	same(t, "last at a point", last.String(), "lose-request c.d/during#2")
	same(t, "there is one", ok, true)
	_, ok = faults.Plan{{{Verb: faults.Advance, Duration: time.Second}}}.Last()
	same(t, "none at a point", ok, false)
	same(t, "no plan", faults.Plan(nil).String(), "run")
	bad := faults.Plan{{}}
	if err := bad.UnmarshalText([]byte("kil x")); err == nil || len(bad) != 1 {
		t.Errorf("a bad text gave %v, %v", bad, err)
	}
}

// A fault without its point, as a search is told of it.
func TestParseFault(t *testing.T) {
	for _, text := range []string{"lose-request", "lose-response", "deliver-late 30s", "unavailable", "refuse", "lag 5s", "pause 2m", "advance 25h", "world w", "resumers 3"} {
		t.Run(text, func(t *testing.T) {
			e, err := faults.ParseFault(text)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "text", e.Fault(), text)
			same(t, "point", e.Point, faults.Point{})
		})
	}
	for text, want := range map[string]string{
		"": "a fault is missing", "kill": "no fault beside the kill", "run": "no fault beside the kill", "refus": "did you mean refuse?",
		"lag": "needs a duration", "lag x": "is not a duration", "refuse a.b/during#1": "too much after refuse",
	} {
		t.Run("not "+text, func(t *testing.T) {
			if _, err := faults.ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}
