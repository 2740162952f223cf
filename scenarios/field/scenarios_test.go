package field_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/field"
)

func TestScenarios_BothFormsOfEveryReport(t *testing.T) {
	t.Parallel()
	var want []string
	for n := 1; n <= 18; n++ {
		want = append(want, fmt.Sprintf("field/F%02d", n), fmt.Sprintf("field/F%02d-broken", n))
	}
	var got []string
	for _, s := range field.Scenarios() {
		got = append(got, s.Name)
		if s.Doc == "" || s.Source == "" || s.Setting.Scenario != s.Name {
			t.Errorf("%s says too little of itself: %+v", s.Name, s)
		}
		if s.Broken && (s.Mended+"-broken" != s.Name || !slices.Contains(check.Names(), s.Expect)) {
			t.Errorf("%s expects %q and is mended by %q", s.Name, s.Expect, s.Mended)
		}
		kinds(t, s)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestSimulate_UnknownProfile(t *testing.T) {
	t.Parallel()
	s := named(t, "field/F01")
	if _, err := s.Simulate(scenarios.Setting{Provider: "larkfeld"}); err == nil {
		t.Error("a profile that does not exist was taken")
	}
	if _, err := s.Settings(scenarios.Setting{Provider: "larkfeld"}); err == nil {
		t.Error("a profile that does not exist was judged")
	}
}

func TestSimulate_UnknownWorldEvent(t *testing.T) {
	t.Parallel()
	s := named(t, "field/F17")
	_, err := explorer.Replay(context.Background(), worldOf(t, s), plan(t, "world webhok"), explorer.Options{Settings: settingsOf(t, s)})
	if err == nil || !strings.Contains(err.Error(), "did you mean webhook?") {
		t.Errorf("got %v, want the nearest name", err)
	}
}

// Every point that a scenario passes is of a site that it lists, with the positions that the list allows.
func TestScenarios_SitesAreListed(t *testing.T) {
	t.Parallel()
	for _, s := range field.Scenarios() {
		r := explored(t, s, explorer.Options{Crashes: 1, Faults: kinds(t, s)})
		for _, p := range r.Points {
			if err := s.CheckPlan(faults.Plan{{faults.KillAt(p)}}); err != nil {
				t.Errorf("%s passes %s: %v", s.Name, p, err)
			}
		}
		for _, c := range r.Found {
			if err := s.CheckPlan(c.Plan); err != nil {
				t.Errorf("%s, %q: %v", s.Name, c.Plan, err)
			}
		}
	}
}

// An undisturbed run of a mended form makes exactly the changes that were wanted, each once, in one life.
func TestMended_Undisturbed(t *testing.T) {
	t.Parallel()
	for _, s := range mended() {
		r := replayed(t, s, "run")
		if len(r.History.Lives) != 1 || r.History.Lives[0].Ended != history.Done || r.History.Verdict != history.Pass {
			t.Errorf("%s: %d lives, the first ended %s, verdict %s %v", s.Name, len(r.History.Lives), r.History.Lives[0].Ended, r.History.Verdict, r.History.Broken)
		}
		var want, got []string
		for _, run := range r.Outcome.Runs {
			if run.Status != check.StatusDone {
				t.Errorf("%s: run %s is %s", s.Name, run.Run, run.Status)
			}
			for _, i := range run.Approved {
				want = append(want, fmt.Sprintf("%s %s %d %s", i.ID, i.Subject, i.AmountCents, i.Reason))
			}
		}
		for _, e := range r.Outcome.Ledger {
			got = append(got, fmt.Sprintf("%s %s %d %s", e.Intent, e.Subject, e.AmountCents, e.Reason))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: approved and made (-want +got):\n%s", s.Name, diff)
		}
	}
}

// What the report itself tells, as a plan: the broken form fails by the invariant that must catch it, the
// mended one does not.
func TestReports_AsTold(t *testing.T) {
	t.Parallel()
	told := map[string]string{
		"F01": "lose-response provider.refund/during#1",
		"F02": "lose-response provider.authorise/during#1",
		"F03": "run",
		"F04": "refuse provider.refund/during#1",
		"F05": "lose-response row.insert/during#1",
		"F06": "kill provider.refund/during#1",
		"F07": "kill provider.create/during#1; kill provider.create/during#1; kill provider.create/during#1",
		"F08": "world second-refund",
		"F09": "lose-response provider.put/during#1",
		"F10": "pause 2m lease.check/after#1",
		"F11": "world caller-first",
		"F12": "lose-response row.insert/during#1",
		"F13": "kill row.update/after#2",
		"F14": "lose-response provider.label/during#1",
		"F15": "world garbled-answers",
		"F16": "lose-response provider.mail/during#1",
		"F17": "world webhook",
		"F18": "deliver-late 30s provider.withdraw/during#1",
	}
	for _, s := range field.Scenarios() {
		id := s.Name[len("field/"):][:3]
		plan := told[id]
		if s.Name == "field/F13" { // the write that comes first is another one in the mended form
			plan = "kill row.insert/after#1"
		}
		r := replayed(t, s, plan)
		if s.Broken && !slices.Contains(r.History.Violations, s.Expect) {
			t.Errorf("%s, %q: %v, want %s", s.Name, plan, r.History.Violations, s.Expect)
		}
		if !s.Broken && r.History.Verdict != history.Pass {
			t.Errorf("%s, %q: %v", s.Name, plan, r.History.Broken)
		}
	}
}

// The other half of two reports: what their naive or second form would meet, the mended one survives.
func TestMended_OtherTellings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, scenario, plan string
		made                 int
		end                  history.End
	}{
		{"a 500 that hid a payment", "field/F04", "world error-after-paying", 1, history.Done},
		{"a 500 that did not", "field/F04", "world error-before-paying", 1, history.Done},
		{"the row was edited meanwhile", "field/F07", "world machine-edited", 1, history.Done},
		{"somebody else was first", "field/F09", "world rival", 1, history.Person},
		{"poison before anything was paid", "field/F15", "lose-request provider.refund/during#1; lose-request provider.refund/during#1; lose-request provider.refund/during#1", 0, history.Person},
		{"the third of three is refused", "field/F16", "refuse provider.mail/during#1", 2, history.Person},
		{"the key is too old to be sent", "field/F18", "lose-request provider.withdraw/during#1; advance 25h", 0, history.Person},
		{"a payment under an old key is found", "field/F18", "deliver-late 30s provider.withdraw/during#1; advance 25h", 1, history.Done},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := replayed(t, named(t, tt.scenario), tt.plan)
			lives := r.History.Lives
			if got := lives[len(lives)-1].Ended; got != tt.end || len(r.Outcome.Ledger) != tt.made || r.History.Verdict != history.Pass {
				t.Errorf("ended %s with %d changes, %s %v; want %s with %d", got, len(r.Outcome.Ledger), r.History.Verdict, r.History.Broken, tt.end, tt.made)
			}
		})
	}
}

// mended returns the mended forms.
func mended() []scenarios.Scenario {
	return slices.DeleteFunc(field.Scenarios(), func(s scenarios.Scenario) bool { return s.Broken })
}

func named(t *testing.T, name string) scenarios.Scenario {
	t.Helper()
	all := field.Scenarios()
	i := slices.IndexFunc(all, func(s scenarios.Scenario) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no scenario %q", name)
	}
	return all[i]
}

func worldOf(t *testing.T, s scenarios.Scenario) explorer.World {
	t.Helper()
	w, err := s.Simulate(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func settingsOf(t *testing.T, s scenarios.Scenario) check.Settings {
	t.Helper()
	settings, err := s.Settings(s.Setting)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

func plan(t *testing.T, text string) faults.Plan {
	t.Helper()
	p, err := faults.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kinds returns the faults that a scenario is about.
func kinds(t *testing.T, s scenarios.Scenario) []faults.Event {
	t.Helper()
	var out []faults.Event
	for _, text := range s.Faults {
		e, err := faults.ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// explored searches a scenario in its own setting.
func explored(t *testing.T, s scenarios.Scenario, o explorer.Options) explorer.Result {
	t.Helper()
	o.Settings = settingsOf(t, s)
	r, err := explorer.Explore(context.Background(), worldOf(t, s), o)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return r
}

func replayed(t *testing.T, s scenarios.Scenario, text string) explorer.Replayed {
	t.Helper()
	r, err := explorer.Replay(context.Background(), worldOf(t, s), plan(t, text), explorer.Options{Settings: settingsOf(t, s)})
	if err != nil {
		t.Fatalf("%s, %q: %v", s.Name, text, err)
	}
	return r
}
