package scenarios_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
)

// The benchmarks of this file compare two sides within one run and report their ratio: figures of two runs
// on a shared machine can't be compared.

func settled(b *testing.B, s scenarios.Setting) (explorer.World, check.Settings) {
	b.Helper()
	sc := scenarios.RefundScenario()
	w, err := sc.Simulate(s.WithDefaults())
	if err != nil {
		b.Fatal(err)
	}
	settings, err := sc.Settings(s.WithDefaults())
	if err != nil {
		b.Fatal(err)
	}
	return w, settings
}

func killing(b *testing.B, s scenarios.Setting) *scenarios.Killed {
	b.Helper()
	program, err := scenarios.RefundScenario().Program(s.WithDefaults())
	if err != nil {
		b.Fatal(err)
	}
	w, err := scenarios.NewKilled(b.Context(), program, scenarios.KillOptions{})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { w.Close() })
	return w
}

func explored(b *testing.B, w explorer.World, o explorer.Options) (explorer.Result, time.Duration) {
	b.Helper()
	start := time.Now()
	r, err := explorer.Explore(b.Context(), w, o)
	if err != nil {
		b.Fatal(err)
	}
	return r, time.Since(start)
}

// Plans decided per second: simulated and by real kills, one kill.
func BenchmarkSimulate_AgainstKills(b *testing.B) {
	w, settings := settled(b, scenarios.Setting{})
	k := killing(b, scenarios.Setting{})
	o := explorer.Options{Crashes: 1, Settings: settings, Once: true, Workers: 2}
	var fast, slow float64
	for b.Loop() {
		const repeats = 20
		var took time.Duration
		var plans int64
		for range repeats {
			r, d := explored(b, w, o)
			took, plans = took+d, plans+r.PlansCovered
		}
		fast += float64(plans) / took.Seconds()
		r, d := explored(b, k, o)
		slow += float64(r.PlansCovered) / d.Seconds()
	}
	b.ReportMetric(fast/float64(b.N), "simulated-plans/s")
	b.ReportMetric(slow/float64(b.N), "killed-plans/s")
	b.ReportMetric(fast/slow, "times-faster")
}

// Exploration with merging against a replay of every plan from the start, two kills.
func BenchmarkExplore_AgainstReplays(b *testing.B) {
	w, settings := settled(b, scenarios.Setting{})
	o := explorer.Options{Crashes: 2, Settings: settings, Once: true}
	plans := allPlans(b, w, 2)
	var ratio float64
	for b.Loop() {
		r, merged := explored(b, w, o)
		if int(r.PlansCovered) != len(plans) {
			b.Fatalf("%d plans covered, %d enumerated", r.PlansCovered, len(plans))
		}
		const every = 10 // a tenth of them, evenly spread, stands for all
		start := time.Now()
		for n := 0; n < len(plans); n += every {
			if _, err := explorer.Replay(b.Context(), w, plans[n], o); err != nil {
				b.Fatal(err)
			}
		}
		ratio += every * time.Since(start).Seconds() / merged.Seconds()
	}
	b.ReportMetric(ratio/float64(b.N), "times-faster")
	b.ReportMetric(float64(len(plans)), "plans")
}

// allPlans enumerates every plan of up to a number of kills.
func allPlans(tb testing.TB, w explorer.World, kills int) []faults.Plan {
	start, err := w.Start(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	var plans []faults.Plan
	var from func(explorer.State, faults.Plan)
	from = func(state explorer.State, plan faults.Plan) {
		plans = append(plans, plan)
		if len(plan) == kills {
			return
		}
		inc, err := w.Run(tb.Context(), state, nil)
		if err != nil {
			tb.Fatal(err)
		}
		for _, p := range inc.Points {
			from(p.State, append(append(faults.Plan{}, plan...), faults.Life{faults.KillAt(p.Point)}))
		}
	}
	from(start, nil)
	return plans
}

// 32 actions and three kills: goal under 3 s.
func BenchmarkExplore_ManyActions(b *testing.B) {
	for b.Loop() {
		r := exploreMany(b, 32, 3)
		b.ReportMetric(float64(r.States), "states")
	}
}

// Every ticket with every strategy, two kills, one after the other: goal under 128 MB.
func BenchmarkExplore_MemoryOfAll(b *testing.B) {
	for b.Loop() {
		var most, explorations uint64
		for _, t := range larkfield.Tasks() {
			for _, s := range strategy.Names() {
				w, settings := settled(b, scenarios.Setting{Ticket: t.ID, Strategy: s})
				explored(b, w, explorer.Options{Crashes: 2, Settings: settings, Once: true, Workers: 2})
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.Sys-m.HeapReleased)
				explorations++
			}
		}
		b.ReportMetric(float64(most)/(1<<20), "MB-most")
		b.ReportMetric(float64(explorations), "explorations")
	}
}
