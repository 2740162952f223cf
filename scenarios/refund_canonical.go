package scenarios

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// canonicalTexts keeps the canonical texts of saved runs and trails by their address: neither changes once
// made, and the lives of a search meet the same ones again and again.
//
// Concurrency: safe.
type canonicalTexts struct {
	mu     sync.Mutex
	runs   map[*resolver.TaskState]string
	worlds map[worldAt]string
	trails map[*resolver.TrailEntry]trailFacts
	asked  map[*resolver.Proposal]proposalSums
}

// worldAt is the services at a moment: what they hold has an age.
type worldAt struct {
	image *services.Image
	now   int64
	most  time.Duration
}

// trailFacts is which facts a trail holds, as two sums over them: how often and when matters to nobody.
type trailFacts [2]uint64

// knownTexts bounds how many texts are kept, and with them how many states that nothing else needs.
const knownTexts = 256

func newCanonicalTexts() *canonicalTexts {
	return &canonicalTexts{runs: map[*resolver.TaskState]string{}, worlds: map[worldAt]string{}, trails: map[*resolver.TrailEntry]trailFacts{},
		asked: map[*resolver.Proposal]proposalSums{}}
}

// run returns what a saved run says beside its operations.
func (t *canonicalTexts) run(s *resolver.TaskState) string {
	return keep(t, t.runs, s, func() string { return t.runText(s) })
}

// services returns what the services hold, as far as its age matters.
func (t *canonicalTexts) services(i *services.Image, now time.Time, most time.Duration) string {
	return keep(t, t.worlds, worldAt{i, now.UnixNano(), most}, func() string { return readWorld(i, now, most) })
}

// trail returns the facts of a trail. A trail only grows, so its last entry stands for all of it, and the
// facts of one are mostly those of the one before it.
func (t *canonicalTexts) trail(entries []resolver.TrailEntry) trailFacts {
	if len(entries) == 0 {
		return trailFacts{}
	}
	last := len(entries) - 1
	return keep(t, t.trails, &entries[last], func() trailFacts { return t.trail(entries[:last]).and(entries[last], entries[:last]) })
}

// and adds the fact of an entry, unless an earlier one holds it.
func (f trailFacts) and(e resolver.TrailEntry, earlier []resolver.TrailEntry) trailFacts {
	fact := factOf(e)
	for _, other := range earlier {
		if factOf(other) == fact {
			return f
		}
	}
	for i, seed := range digestSeeds {
		f[i] += maphash.Comparable(seed, fact)
	}
	return f
}

type trailFact struct{ run, what, operation string }

func factOf(e resolver.TrailEntry) trailFact { return trailFact{e.RunID, e.What, e.OperationID} }

func keep[K comparable, V any](t *canonicalTexts, known map[K]V, key K, make func() V) V {
	t.mu.Lock()
	text, ok := known[key]
	t.mu.Unlock()
	if ok {
		return text
	}
	text = make()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(known) >= knownTexts {
		clear(known)
	}
	known[key] = text
	return text
}

func (t *canonicalTexts) runText(s *resolver.TaskState) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s %s repeat %d step %d calls %d faults %v stop %q\n", s.RunID, s.Status, s.Repeat, s.Step, s.Usage.ModelCalls, s.FaultsSeen, s.StopReason)
	if s.Status == resolver.Running {
		// The next request to the model is made of these, and its answer depends on them.
		h := sha256.New()
		fmt.Fprintf(h, "%v %v %v", s.Evidence, s.Messages, s.Plan)
		fmt.Fprintf(&b, "so far %x\n", h.Sum(nil))
	}
	if s.Proposal != nil {
		fmt.Fprintf(&b, "proposal %x\n", keep(t, t.asked, s.Proposal, func() proposalSums { return digestOf(s.Proposal) }))
	}
	if s.Approval != nil {
		fmt.Fprintf(&b, "approval %s %s\n", s.Approval.Role, s.Approval.Fingerprint)
	}
	return b.String()
}

// digestSeeds are those of this process: identities are compared within one search only.
var digestSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// proposalSums tell proposals apart; they are made much faster than fingerprints.
type proposalSums [2]uint64

func digestOf(p *resolver.Proposal) (sums proposalSums) {
	for i, seed := range digestSeeds {
		var h maphash.Hash
		h.SetSeed(seed)
		h.WriteString(string(p.Outcome) + " " + p.Rule)
		for _, a := range p.Actions {
			maphash.WriteComparable(&h, a)
		}
		sums[i] = h.Sum64()
	}
	return sums
}
