package checkpoint

import (
	"errors"
	"fmt"

	"github.com/paytwice/paytwice/resolver"
)

// Check says everything that is wrong with an image: states that don't decode, versions and tokens below
// 1, leases of runs that aren't there, a broken trail. It does not know what the rows' columns say.
func (i *Image) Check() error {
	problems := []error{VerifyTrail(i.Trail)}
	present := map[string]bool{}
	for _, row := range i.Rows {
		present[row.RunID] = true
		if _, err := row.State(); err != nil {
			problems = append(problems, fmt.Errorf("run %s: %w", row.RunID, err))
		}
		if row.Version < 1 {
			problems = append(problems, fmt.Errorf("run %s: %w", row.RunID, badVersion(row.Version)))
		}
	}
	for _, l := range i.Leases {
		if l.Token < 1 {
			problems = append(problems, fmt.Errorf("lease of run %s: token %d is below 1", l.RunID, l.Token))
		}
		if !present[l.RunID] {
			problems = append(problems, fmt.Errorf("lease of run %s: %w", l.RunID, resolver.ErrUnknownRun))
		}
	}
	for _, id := range i.Pruned {
		if present[id] {
			problems = append(problems, fmt.Errorf("run %s is pruned and there", id))
		}
	}
	return errors.Join(problems...)
}

func badVersion(version int64) error {
	return fmt.Errorf("%w: field version: %d is below 1", resolver.ErrBadState, version)
}
