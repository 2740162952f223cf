package explorer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults/httpfault"
	"github.com/paytwice/paytwice/faults/provider"
)

// Program is somebody's program under test: what one incarnation does, the provider it calls, and what must
// hold at the end.
type Program struct {
	// Run is one incarnation. It is called in a child process, killed at each point, and called again in
	// another until it returns nil. What it keeps in variables is lost with the process; what it keeps in
	// Env.Dir and at the provider stays. An error means that the program ended badly and is started again.
	//
	// A t.Error or t.Fatal in it fails the test with the plan that led there and what was logged, as a wrong ledger
	// does: so a test judges what the program left in Env.Dir. A t.Cleanup in it never comes, and what t.Error says
	// right before an os.Exit is lost with the process.
	Run func(ctx context.Context, env *Env) error
	// Provider is how the payment provider treats repeats; the zero value means that there is none.
	Provider provider.Profile
	// Want judges the ledger at the end of every plan. Without a provider it may be nil: all that is judged then
	// is that the program ends, and what Run itself says by t.Error.
	Want Want
	// Crashes is how many kills a plan may have; 0 means 2.
	Crashes int
	// Timeout ends one incarnation that hangs; 0 means 10 s. It is real time.
	Timeout time.Duration
	// Downtime is how long the program is away before each restart, by the provider's clock and Env.Now: more
	// than a key's lifetime shows what an expired key does, more than a look-up's lag what it shows late. Nobody
	// waits for it, and the program's own time.Now does not know of it.
	Downtime time.Duration
	// AnyOrder: the points of two runs may come in another order, as they do where goroutines race. Points
	// are then told apart by their occurrence only.
	AnyOrder bool
	// MaxRuns bounds the incarnations; reaching it fails the test as undecided. 0 means 20,000.
	MaxRuns int
	// MaxLives bounds how often the program is started again after the last kill of a plan; one that needs more
	// never ends, and so does one that ends in an error and has changed nothing. Nobody waits between two starts:
	// where a lease in real time keeps the program off, Run has to wait for it. 0 means 8.
	MaxLives int
	// RunsOnce: a program that ended well is never started again. Without it a program that survives every kill
	// is also started once more after its end, as it is when the kill comes after its last step or when a queue
	// delivers twice, and what that breaks fails the test. An error then means what it always means: a program with
	// nothing left to do returns nil, and one that refuses each further start never ends.
	RunsOnce bool
	// AtOnce is how many processes a life has: they start together on one folder and one provider, as when
	// several servers come up at once, and plans kill the first of them. 0 means 1. How they meet is the
	// operating system's affair, so with more than one a pass is evidence and not a proof, a replay may go
	// another way, and a planned kill that the first one no longer comes to is left out.
	AtOnce int
}

// Env is what one incarnation is given.
type Env struct {
	dir         string
	providerURL string
	process     int
	clock       *clock
	// asked: the program asked for the provider's address.
	asked atomic.Bool
}

// Dir returns the folder that survives the process: whatever the program must not forget goes there. Each
// life gets it at another path, so the path itself must not be remembered. Modes, times, symbolic links, pipes
// and sockets stay as they were; a hard link becomes a file of its own, and a device is an error. Kills that leave
// the same but for the times of files count as one, unless a time was set to before the test or to the future.
func (e *Env) Dir() string { return e.dir }

// Process returns the number of this process among those that Program.AtOnce starts together, from 1.
func (e *Env) Process() int { return e.process }

// Now returns the provider's clock, in UTC. It begins on the same day in each first life, is Program.Downtime
// further in each later one, and goes on in whole seconds while the program waits. A program that decides by
// how long it was away has to ask this clock.
func (e *Env) Now() time.Time { return e.clock.now() }

// ProviderURL returns the address of the provider, without a slash at its end; empty without a provider. A program
// that asks for it and makes requests, and has no provider, fails its test: nothing would be judged.
func (e *Env) ProviderURL() string {
	e.asked.Store(true)
	return e.providerURL
}

// HTTPClient returns a client whose requests pass points. Programs with a client of their own wrap its
// transport with httpfault.Transport; they get the same points.
func (e *Env) HTTPClient() *http.Client {
	return &http.Client{Transport: httpfault.Transport(nil, nil)}
}

// Want judges the effects in the ledger, oldest first: it returns what is broken, nil if nothing is.
//
// It must be able to fail: Test drops and doubles an effect of the undisturbed run, and refuses a Want that
// does not notice.
//
// Concurrency: one Test calls it from several goroutines, one at a time.
type Want func(effects []history.Effect) []history.Violation

// broken judges a ledger by Want. What a judge leaves unsaid gets a name.
func (p Program) broken(effects []history.Effect) []history.Violation {
	if p.Want == nil {
		return nil
	}
	found := p.Want(effects)
	for i, v := range found {
		found[i].Invariant = cmp.Or(v.Invariant, "want")
		found[i].Detail = cmp.Or(v.Detail, fmt.Sprintf("Want returned a violation that says nothing more, for a ledger of %d effects", len(effects)))
	}
	return found
}

// ExactlyOnce wants one effect for each subject, such as an order, and none for any other.
func ExactlyOnce(subjects ...string) Want {
	return func(effects []history.Effect) []history.Violation {
		counts := map[string]int{}
		for _, e := range effects {
			if !e.Reversed {
				counts[e.Subject]++
			}
		}
		var out []history.Violation
		for _, s := range subjects {
			switch n := counts[s]; {
			case n > 1:
				out = append(out, history.Violation{Invariant: "double-write", Intent: s, Detail: fmt.Sprintf("%s has %d effects: %s", s, n, records(effects, s))})
			case n == 0:
				out = append(out, history.Violation{Invariant: "lost-write", Intent: s, Detail: s + " has no effect, and the program ended as if it had"})
			}
			delete(counts, s)
		}
		for _, e := range effects {
			if counts[e.Subject] > 0 {
				out = append(out, history.Violation{Invariant: "unapproved-write", Intent: e.Subject, Detail: e.Subject + " has an effect that nobody asked for"})
				delete(counts, e.Subject)
			}
		}
		return out
	}
}

func records(effects []history.Effect, subject string) string {
	var ids []string
	for _, e := range effects {
		if e.Subject == subject {
			ids = append(ids, e.RecordID+" for "+e.OperationID)
		}
	}
	return strings.Join(ids, ", ")
}

// EnvPlan is the environment variable that makes Test run one plan only and print its history, with the last lines
// that each life wrote. The plan "run" is the undisturbed one.
const EnvPlan = "PAYTWICE_PLAN"

// Test runs a program's incarnations in child processes, the test binary started again, kills each at every
// point, each recovery, too, and fails the test with the smallest plan of each kind that breaks something.
//
// Everything in the test function up to the call runs in every child, too; what comes after it does not, nor do
// cleanups there. A child's folder for temporary files goes with the test, and so do processes that outlived their
// child, on Linux. It fails, and does not pass, what it could not check: a program that passes no point, a kill that
// did not land, a bound that was reached, a provider that was never called, a Want that can't fail, a goroutine or
// a process that is left behind. Where processes can't be killed it skips the test.
//
// Concurrency: tests that call it may be parallel.
// Determinism: as deterministic as the program: two undisturbed runs that differ are an error.
func Test(t testing.TB, p Program) {
	t.Helper()
	s := begin(t, p)
	if s == nil {
		return
	}
	found := s.run()
	for _, c := range found {
		s.report(t.Context(), c)
	}
	if len(found) == 0 && os.Getenv(EnvPlan) == "" && !p.RunsOnce {
		s.startAgain(t.Context())
	}
}

// Find does what Test does, and returns what it found instead of failing: the smallest plan of each kind, in
// the order of check.Names. A test of a program that is known to be broken asserts on it. What could not be
// checked still fails the test.
//
// In a child that is on its way to a later call of Test or Find in the same test function it returns nil.
func Find(t testing.TB, p Program) []Counterexample {
	t.Helper()
	s := begin(t, p)
	if s == nil {
		return nil
	}
	found := s.run()
	for _, c := range found {
		t.Logf("paytwice: found %s: %s\n  smallest plan  %s", c.Invariant, c.Detail, c.Plan)
	}
	return found
}

func (p Program) hasProvider() bool { return p.Provider != (provider.Profile{}) }

func (p Program) withDefaults() Program {
	if p.Crashes == 0 {
		p.Crashes = 2
	}
	if p.Timeout == 0 {
		p.Timeout = 10 * time.Second
	}
	if p.MaxRuns == 0 {
		p.MaxRuns = 20_000
	}
	if p.MaxLives == 0 {
		p.MaxLives = 8
	}
	if p.AtOnce == 0 {
		p.AtOnce = 1
	}
	return p
}
