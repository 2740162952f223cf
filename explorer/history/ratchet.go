package history

import "strings"

// Ratchet is what a run says of the violations that a baseline knows. Each list is in order, none twice.
type Ratchet struct {
	// New are the classes that are not in the baseline, Known those that are and were found again.
	New   []ViolationClass `json:"new"`
	Known []ViolationClass `json:"known"`
	// Gone are the classes that every search that saw them would have seen again, and did not.
	Gone []ViolationClass `json:"gone"`
	// Open are the classes that were not found and of which nothing is known: not all of the searches that saw
	// them were made to their end.
	Open []ViolationClass `json:"not_searched"`
}

// ViolationClass is a kind of violation. Tickets, modes, bounds and counts of calls are no part of it, so that
// it is the same whatever else changes.
type ViolationClass struct {
	Scenario string `json:"scenario"`
	Strategy string `json:"strategy,omitempty"`
	Provider string `json:"provider,omitempty"`
	// Point is that of the plan's last fault, without the count of its call. A fault without a point stands for
	// itself, and "run" for no fault at all.
	Point     string `json:"point"`
	Invariant string `json:"invariant"`
}

// String returns the class in one line.
func (c ViolationClass) String() string {
	var parts []string
	for _, p := range []string{c.Scenario, c.Strategy, c.Provider, c.Point, c.Invariant} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " · ")
}
