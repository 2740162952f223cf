package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// Digest returns the chain value of an entry that follows one whose chain value is prev ("" for the
// first): the SHA-256, in hex, of the entry's JSON with prev in the place of its own chain value.
//
// A field added to TrailEntry later must be omitted when empty, or every digest made before it changes.
func Digest(prev string, e resolver.TrailEntry) string {
	e.Chain = prev
	data, err := json.Marshal(e)
	if err != nil { // Only a year beyond 9999 can do this; such an entry matches no digest.
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// VerifyTrail says whether entries are a whole trail: numbered from 1 without a gap, each chained to the
// one before. It takes the entries of all runs; those of one run alone are no chain. It can't see that
// the newest entries are missing; TrailWhole can.
//
// Errors: ErrTrailBroken, with the number of the first entry that does not fit.
func VerifyTrail(entries []resolver.TrailEntry) error {
	prev := ""
	for i, e := range entries {
		if want := int64(i + 1); e.Seq != want {
			return fmt.Errorf("%w at entry %d: entry %d stands there", ErrTrailBroken, want, e.Seq)
		}
		if want := Digest(prev, e); want == "" || e.Chain != want {
			return fmt.Errorf("%w at entry %d: it was changed, or the one before it was", ErrTrailBroken, e.Seq)
		}
		prev = e.Chain
	}
	return nil
}

// chainOn returns copies of entries as they follow a trail that ends at (seq, chain). An entry without
// a time gets now; one without a run gets the run that is saved.
//
// Errors: ErrBadArgument for an entry of another run.
func chainOn(seq int64, chain, runID string, now time.Time, entries []resolver.TrailEntry) ([]resolver.TrailEntry, error) {
	out := make([]resolver.TrailEntry, 0, len(entries))
	for _, e := range entries {
		if e.RunID != "" && e.RunID != runID {
			return nil, fmt.Errorf("%w: a trail entry of run %s is saved with run %s", ErrBadArgument, e.RunID, runID)
		}
		if e.At.IsZero() {
			e.At = now
		}
		seq++
		e.Seq, e.RunID, e.At = seq, runID, e.At.Round(0)
		// JSON can't carry other bytes: what is stored must be what was digested.
		for _, text := range []*string{&e.Actor, &e.What, &e.OperationID, &e.Detail} {
			*text = strings.ToValidUTF8(*text, "\uFFFD")
		}
		if e.Chain = Digest(chain, e); e.Chain == "" {
			return nil, fmt.Errorf("%w: a trail entry's time %s has no text form", ErrBadArgument, e.At)
		}
		chain = e.Chain
		out = append(out, e)
	}
	return out, nil
}
