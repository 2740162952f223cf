package baseline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// Search is a search as far as it decides what can be found, beside the class: a class is gone only once the
// searches that saw it were made again and did not see it.
type Search struct {
	Ticket    string   `json:"ticket,omitempty"`
	Recording string   `json:"recording,omitempty"`
	Mode      string   `json:"mode"`
	Crashes   int      `json:"crashes"`
	Faults    []string `json:"faults,omitempty"`
}

func searchOf(e history.Exploration) Search {
	faults := slices.Clone(e.Faults)
	slices.Sort(faults)
	return Search{e.Ticket, e.Recording, e.Mode, e.Crashes, slices.Compact(faults)}
}

func (s Search) compare(o Search) int {
	return cmp.Or(strings.Compare(s.Ticket, o.Ticket), strings.Compare(s.Recording, o.Recording), strings.Compare(s.Mode, o.Mode),
		cmp.Compare(s.Crashes, o.Crashes), slices.Compare(s.Faults, o.Faults))
}

// covers reports whether a search looks at every plan of another.
func (s Search) covers(o Search) bool {
	if s.Ticket != o.Ticket || s.Recording != o.Recording || s.Mode != o.Mode || s.Crashes < o.Crashes {
		return false
	}
	return !slices.ContainsFunc(o.Faults, func(f string) bool { return !slices.Contains(s.Faults, f) })
}

// decided reports whether a search looked at everything that it was asked to.
func decided(e history.Exploration) bool { return e.Complete && len(e.Unreached) == 0 }
