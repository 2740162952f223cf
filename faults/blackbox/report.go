package blackbox

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/paytwice/paytwice/faults"
)

// Names of the invariants that a sweep judges.
const (
	DoubleWrite   = "double-write"
	LostWrite     = "lost-write"
	StateMismatch = "state-mismatch"
	NeverEnds     = "never-ends"
)

// invariants is their order in reports.
var invariants = []string{DoubleWrite, LostWrite, StateMismatch, NeverEnds}

// maxViolations bounds the violations that a report lists, but for the first of each class; all are counted.
const maxViolations = 1_000

// Violation is a broken invariant in one case.
type Violation struct {
	Invariant string
	// Plan is what was injected: a plan of kills, "run" for nothing, or a power cut. Replay takes it.
	Plan string
	// Call and Path are those of the last point of the plan, empty for an undisturbed run.
	Call   string
	Path   string
	Detail string
	// PowerLoss says that the plan is a power cut.
	PowerLoss bool
}

// class is what violations have in common that most likely have one cause: the invariant, the call and the
// path, in which numbers stand for each other.
type class struct {
	invariant, call, path string
	powerLoss             bool
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+`) })

func (v *Violation) class() class {
	return class{v.Invariant, v.Call, numbers().ReplaceAllString(v.Path, "0"), v.PowerLoss}
}

// kills counts the kills of a violation's plan; a power cut counts as one.
func (v *Violation) kills() int { return strings.Count(v.Plan, string(faults.Kill)+" ") }

// Column holds the figures of one kind of crash.
type Column struct {
	// Cases counts kills, or folders left by power cuts.
	Cases int
	// Landed counts the cases whose crash was seen to have struck.
	Landed int
	// States counts the different states that they led to: folder and ledger.
	States int
	// Violations counts cases with a violation, per invariant.
	Violations map[string]int
}

func (c Column) String() string {
	text := fmt.Sprintf("%d cases, %d landed, %d states", c.Cases, c.Landed, c.States)
	for _, name := range invariants {
		if n := c.Violations[name]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, name)
		}
	}
	return text
}

// Report is what a sweep found. Call counts are those of the undisturbed run.
type Report struct {
	// Calls counts the durable calls of the undisturbed run.
	Calls int
	// Kills and PowerLoss are the two kinds of crashes.
	Kills     Column
	PowerLoss Column
	// States counts the different states of both, each recovered once; the undisturbed run's is not
	// among them.
	States int
	// Recoveries counts the lives that were run to their end after a crash.
	Recoveries int
	// Violations holds one entry per broken invariant of a case, in the order of cases; of power cuts one
	// per invariant and point. Beyond 1,000 only the first of each class is listed; all are counted in the
	// columns. Smallest leaves out the rest of each class.
	Violations []Violation
	// Complete says that no bound was reached and nothing was interrupted; LeftOut says what else.
	Complete bool
	LeftOut  string
	// Power says what bounds the model of power loss, empty without it.
	Power string
	// Images counts the folders that power cuts can leave, those beyond the limit included.
	Images int
	// Outside are files elsewhere that the program changed, and Mapped are files that it changed through
	// memory, where stores are not seen.
	Outside []string
	Mapped  []string
	// LeftBehind counts the processes that still ran when the undisturbed program had ended.
	LeftBehind int
	// Reordered counts kills before which the recorded order of calls could not be repeated; Retried
	// counts kills that took more than one try.
	Reordered int
	Retried   int
}

// Smallest returns one violation of each class (invariant, call, path but for numbers in it, kind of crash):
// the first of those with the fewest kills. The order is that of Violations.
func (r *Report) Smallest() []Violation {
	best := map[class]int{}
	for i := range r.Violations {
		v := &r.Violations[i]
		if at, ok := best[v.class()]; !ok || v.kills() < r.Violations[at].kills() {
			best[v.class()] = i
		}
	}
	var out []Violation
	for _, i := range slices.Sorted(maps.Values(best)) {
		out = append(out, r.Violations[i])
	}
	return out
}

// Ratio returns how many cases stand for each state that was recovered.
func (r *Report) Ratio() float64 {
	if r.States == 0 {
		return 0
	}
	return float64(r.Kills.Landed+r.PowerLoss.Landed) / float64(r.States)
}
