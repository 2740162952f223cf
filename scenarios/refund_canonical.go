package scenarios

import (
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"sort"
	"strings"
	"sync"

	"github.com/paytwice/paytwice/resolver"
)

// canonicalTexts keeps the canonical texts of saved runs and trails by their address: neither changes once
// made, and the lives of a search meet the same ones again and again.
//
// Concurrency: safe.
type canonicalTexts struct {
	mu     sync.Mutex
	runs   map[*resolver.TaskState]string
	trails map[*resolver.TrailEntry]string
}

// knownTexts bounds how many texts are kept, and with them how many states that nothing else needs.
const knownTexts = 256

func newCanonicalTexts() *canonicalTexts {
	return &canonicalTexts{runs: map[*resolver.TaskState]string{}, trails: map[*resolver.TrailEntry]string{}}
}

// run returns what a saved run says beside its operations.
func (t *canonicalTexts) run(s *resolver.TaskState) string {
	return keep(t, t.runs, s, func() string { return runText(s) })
}

// trail returns which facts a trail holds; how often and when matters to nobody. A trail only grows, so
// its last entry stands for all of it.
func (t *canonicalTexts) trail(entries []resolver.TrailEntry) string {
	if len(entries) == 0 {
		return ""
	}
	return keep(t, t.trails, &entries[len(entries)-1], func() string { return trailText(entries) })
}

func keep[K comparable](t *canonicalTexts, known map[K]string, key K, make func() string) string {
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

func runText(s *resolver.TaskState) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s %s repeat %d step %d calls %d faults %v stop %q\n", s.RunID, s.Status, s.Repeat, s.Step, s.Usage.ModelCalls, s.FaultsSeen, s.StopReason)
	if s.Status == resolver.Running {
		// The next request to the model is made of these, and its answer depends on them.
		h := sha256.New()
		fmt.Fprintf(h, "%v %v %v", s.Evidence, s.Messages, s.Plan)
		fmt.Fprintf(&b, "so far %x\n", h.Sum(nil))
	}
	if s.Proposal != nil {
		fmt.Fprintf(&b, "proposal %x\n", proposalDigest(s.Proposal))
	}
	if s.Approval != nil {
		fmt.Fprintf(&b, "approval %s %s\n", s.Approval.Role, s.Approval.Fingerprint)
	}
	return b.String()
}

// proposalSeeds are those of this process: identities are compared within one search only.
var proposalSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// proposalDigest tells proposals apart much faster than their fingerprints would.
func proposalDigest(p *resolver.Proposal) (sums [2]uint64) {
	for i, seed := range proposalSeeds {
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

func trailText(entries []resolver.TrailEntry) string {
	facts := map[string]bool{}
	for _, e := range entries {
		facts[e.RunID+" "+e.What+" "+e.OperationID] = true
	}
	sorted := make([]string, 0, len(facts))
	for f := range facts {
		sorted = append(sorted, f)
	}
	sort.Strings(sorted)
	return strings.Join(sorted, "\n")
}
