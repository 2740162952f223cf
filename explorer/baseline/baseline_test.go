package baseline_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/explorer/baseline"
	"github.com/paytwice/paytwice/explorer/history"
)

// search is a finished search of two crashes that found a violation for each plan.
func search(strategy string, plans ...string) history.Exploration {
	e := history.Exploration{Scenario: "refund", Ticket: "T-1", Strategy: strategy, Provider: "larkfield", Mode: "simulate", Crashes: 2, Complete: true}
	for _, p := range plans {
		e.Violations = append(e.Violations, history.Counterexample{Invariant: "double-write", Plan: p})
	}
	return e
}

func with(e history.Exploration, change func(*history.Exploration)) history.Exploration {
	change(&e)
	return e
}

func class(strategy, point string) baseline.Class {
	return baseline.Class{Scenario: "refund", Strategy: strategy, Provider: "larkfield", Point: point, Invariant: "double-write"}
}

// known is the baseline of what some searches found.
func known(t *testing.T, runs ...history.Exploration) baseline.Baseline {
	t.Helper()
	b, err := baseline.Baseline{}.Update(runs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestClass: the point is that of the last fault, and what changes from run to run is no part of it.
func TestClass(t *testing.T) {
	for plan, want := range map[string]string{
		"kill payment.request_refund/after#1":                            "payment.request_refund/after",
		"kill payment.request_refund/after#7":                            "payment.request_refund/after",
		"kill checkpoint.save/before#3; kill payment.operation/during#2": "payment.operation/during",
		"kill checkpoint.save/before#3; run":                             "checkpoint.save/before",
		"lose-response payment.request_refund/during#1":                  "payment.request_refund/during",
		"deliver-late 30s payment.request_refund/during#1; advance 25h":  "advance 25h",
		"advance 25h, kill payment.request_refund/after#1":               "payment.request_refund/after",
		"resumers 3": "resumers 3",
		"run":        "run",
	} {
		d, err := baseline.Baseline{}.Compare([]history.Exploration{search("restart", plan)})
		if err != nil {
			t.Errorf("%q: %v", plan, err)
			continue
		}
		if diff := cmp.Diff([]baseline.Class{class("restart", want)}, d.New); diff != "" {
			t.Errorf("%q (-want +got):\n%s", plan, diff)
		}
	}
	if _, err := (baseline.Baseline{}).Compare([]history.Exploration{search("restart", "kill everything")}); err == nil {
		t.Error("a plan that is none has a class")
	}
}

const (
	after  = "kill payment.request_refund/after#1"
	during = "kill payment.request_refund/during#1"
)

// TestCompare: what is new, known and gone; and nothing is gone that was not looked for to the end.
func TestCompare(t *testing.T) {
	b := known(t, search("restart", after), search("mark-last", during))
	mine, other := class("restart", "payment.request_refund/after"), class("mark-last", "payment.request_refund/during")
	for name, c := range map[string]struct {
		runs                  []history.Exploration
		fresh, kn, gone, open []baseline.Class
	}{
		"nothing was run": {nil, nil, nil, nil, []baseline.Class{other, mine}},
		"the same":        {[]history.Exploration{search("restart", after), search("mark-last", during)}, nil, []baseline.Class{other, mine}, nil, nil},
		"a new point":     {[]history.Exploration{search("restart", after, during)}, []baseline.Class{class("restart", "payment.request_refund/during")}, []baseline.Class{mine}, nil, []baseline.Class{other}},
		"one is gone":     {[]history.Exploration{search("restart"), search("mark-last", during)}, nil, []baseline.Class{other}, []baseline.Class{mine}, nil},
		"more crashes":    {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Crashes = 3 })}, nil, nil, []baseline.Class{mine}, []baseline.Class{other}},
		"more faults":     {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Faults = []string{"refuse"} })}, nil, nil, []baseline.Class{mine}, []baseline.Class{other}},

		// What must not be taken for gone.
		"another strategy":  {[]history.Exploration{search("operation-id")}, nil, nil, nil, []baseline.Class{other, mine}},
		"another scenario":  {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Scenario = "batch" })}, nil, nil, nil, []baseline.Class{other, mine}},
		"another provider":  {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Provider = "blind" })}, nil, nil, nil, []baseline.Class{other, mine}},
		"another ticket":    {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Ticket = "T-2" })}, nil, nil, nil, []baseline.Class{other, mine}},
		"another recording": {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Recording = "x" })}, nil, nil, nil, []baseline.Class{other, mine}},
		"another mode":      {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Mode = "kill" })}, nil, nil, nil, []baseline.Class{other, mine}},
		"fewer crashes":     {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Crashes = 1 })}, nil, nil, nil, []baseline.Class{other, mine}},
		"undecided":         {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Complete = false })}, nil, nil, nil, []baseline.Class{other, mine}},
		"unreached":         {[]history.Exploration{with(search("restart"), func(e *history.Exploration) { e.Unreached = []string{"x"} })}, nil, nil, nil, []baseline.Class{other, mine}},
	} {
		d, err := b.Compare(c.runs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		list := func(l []baseline.Class) []baseline.Class { return append([]baseline.Class{}, l...) }
		want := history.Ratchet{New: list(c.fresh), Known: list(c.kn), Gone: list(c.gone), Open: list(c.open)}
		if diff := cmp.Diff(want, d); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		// What is gone is out of the next baseline; all else is in it.
		next, err := b.Update(c.runs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, cl := range append(append(list(c.fresh), c.kn...), c.open...) {
			if !slices.ContainsFunc(next.Classes, func(k baseline.Known) bool { return k.Class == cl }) {
				t.Errorf("%s: the update drops %s", name, cl)
			}
		}
		if len(next.Classes) != len(c.fresh)+len(c.kn)+len(c.open) {
			t.Errorf("%s: the update has %d classes", name, len(next.Classes))
		}
	}
}

// TestUpdate_ByParts: a class that two tickets saw is gone once both were searched again, in one run or in two.
func TestUpdate_ByParts(t *testing.T) {
	second := func(e history.Exploration) history.Exploration {
		return with(e, func(e *history.Exploration) { e.Ticket = "T-2" })
	}
	b := known(t, search("restart", after), second(search("restart", after)))
	if len(b.Classes) != 1 || len(b.Classes[0].SeenBy) != 2 {
		t.Fatalf("%+v", b)
	}
	b, err := b.Update([]history.Exploration{search("restart")})
	if err != nil || len(b.Classes) != 1 {
		t.Fatalf("after the first: %+v, %v", b, err)
	}
	b, err = b.Update([]history.Exploration{second(search("restart"))})
	if err != nil || len(b.Classes) != 0 {
		t.Fatalf("after the second: %+v, %v", b, err)
	}
}

// TestEncode: the order of the searches, or of a file edited by hand, changes nothing, and reading is the
// inverse of writing.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plans := rapid.SliceOf(rapid.SampledFrom([]string{after, during, "kill checkpoint.save/before#3", "advance 25h", "run"}))
		var runs []history.Exploration
		for range rapid.IntRange(0, 6).Draw(t, "runs") {
			e := search(rapid.SampledFrom([]string{"restart", "mark-last", "naive-retry"}).Draw(t, "strategy"), plans.Draw(t, "plans")...)
			e.Ticket = rapid.SampledFrom([]string{"", "T-1", "T-2"}).Draw(t, "ticket")
			e.Faults = rapid.SliceOf(rapid.SampledFrom([]string{"refuse", "lag 5s"})).Draw(t, "faults")
			runs = append(runs, e)
		}
		encode := func(runs []history.Exploration) []byte {
			b, err := baseline.Baseline{}.Update(runs)
			if err != nil {
				t.Fatal(err)
			}
			data, err := b.Encode()
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		data := encode(runs)
		if other := encode(rapid.Permutation(runs).Draw(t, "order")); !bytes.Equal(data, other) {
			t.Fatalf("%s\nin another order:\n%s", data, other)
		}
		b, err := baseline.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(b.Classes)
		edited, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if b, err = baseline.Parse(edited); err != nil {
			t.Fatal(err)
		}
		if again, err := b.Encode(); err != nil || !bytes.Equal(data, again) {
			t.Fatalf("%s\nread and written again, %v:\n%s", data, err, again)
		}
		// What was just written has nothing new, and nothing gone.
		d, err := b.Compare(runs)
		if err != nil || len(d.New)+len(d.Gone)+len(d.Open) > 0 {
			t.Fatalf("%v, %+v", err, d)
		}
	})
}

const one = `{"schema":"paytwice.baseline/1","classes":[{"scenario":"refund","point":"run","invariant":"trail","seen_by":[{"mode":"kill","crashes":1}]}]}`

func TestParse_Refused(t *testing.T) {
	if _, err := baseline.Parse([]byte(one)); err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) string {
		if !strings.Contains(one, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(one, old, new, 1)
	}
	for text, says := range map[string]string{
		"":                                   "no baseline: unexpected end",
		one[:len(one)/2]:                     "no baseline: unexpected end",
		"[]":                                 "no baseline",
		one + one:                            "no baseline",
		`{}`:                                 `schema "" is not paytwice.baseline/1`,
		replace("baseline/1", "baseline/2"):  `schema "paytwice.baseline/2" is not`,
		replace("baseline/1", "matrix/1"):    `schema "paytwice.matrix/1" is not`,
		`{"schema":"paytwice.baseline/1"}`:   "no list of classes",
		replace(`"point"`, `"pint"`):         `unknown field "pint"`,
		replace(`"refund"`, `""`):            "without scenario",
		replace(`"run"`, `""`):               "without point",
		replace(`"trail"`, `""`):             "without invariant",
		replace(`"trail"`, "\"\\u001b[2J\""): "is no invariant",
		replace(`"refund"`, `"<script>"`):    "is no scenario",
		replace(`"refund"`, `"a|b"`):         "is no scenario",
		replace(`"refund"`, fmt.Sprintf("%q", strings.Repeat("x", 201))): "is no scenario",
		replace(`{"mode":"kill","crashes":1}`, ""):                       "does not say which search saw it",
		replace(`"crashes":1`, `"crashes":-1`):                           "no search",
		replace(`"kill"`, `"kill\n"`):                                    "no search",
		replace(`"crashes":1`, `"crashes":"1"`):                          "no baseline of this version",
		replace(`]}]}`, `]},{"scenario":"refund","point":"run","invariant":"trail","seen_by":[{"mode":"kill","crashes":1}]}]}`): "is there twice",
	} {
		if _, err := baseline.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.120s: %v, want %q", text, err, says)
		}
	}
}

// FuzzParse: what is read is written and read again as the same, and every name in it can be shown.
func FuzzParse(f *testing.F) {
	f.Add([]byte(one))
	f.Add([]byte(`{"schema":"paytwice.baseline/1","classes":[]}`))
	f.Add([]byte(`{"schema":"paytwice.baseline/1","classes":[{"scenario":"a","strategy":"b","provider":"c","point":"advance 25h","invariant":"d","seen_by":[{"ticket":"T","mode":"kill","crashes":9,"faults":["lag 5s"]},{"mode":"x","crashes":0}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := baseline.Parse(data)
		if err != nil {
			return
		}
		text, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := baseline.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if more, err := again.Encode(); err != nil || !bytes.Equal(text, more) {
			t.Fatalf("%v\n%s\n%s", err, text, more)
		}
		for _, k := range b.Classes {
			if strings.ContainsAny(k.String(), "<>|`\x1b\n\r") {
				t.Errorf("%q", k.String())
			}
		}
	})
}
