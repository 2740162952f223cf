package history

// AuditSchema names the JSON form of an Audit.
const AuditSchema = "paytwice.audit/1"

// Audit says of every planted bug whether the invariant that must catch it did.
type Audit struct {
	Schema  string    `json:"schema"`
	Planted []Planted `json:"planted"`
	Caught  int       `json:"caught"`
	Total   int       `json:"total"`
	// LeftOut says what was not run because the audit was interrupted.
	LeftOut string `json:"left_out,omitempty"`
}

// Planted is one planted bug. Plan is the smallest that exposes it, empty if it was not caught; Others are
// the other invariants that it breaks there, or, uncaught, anywhere.
type Planted struct {
	Name      string   `json:"name"`
	Doc       string   `json:"doc"`
	Invariant string   `json:"invariant"`
	Ticket    string   `json:"ticket"`
	Provider  string   `json:"provider"`
	Strategy  string   `json:"strategy"`
	Mode      string   `json:"mode"`
	Caught    bool     `json:"caught"`
	Plan      string   `json:"plan"`
	Faults    int      `json:"faults"`
	Others    []string `json:"others,omitempty"`
	Detail    string   `json:"detail,omitempty"`
	Replay    string   `json:"replay,omitempty"`
}

// Sum counts what was caught. A larger total that was set before stays: of a part, no more can be caught.
func (a *Audit) Sum() {
	a.Schema, a.Caught, a.Total = AuditSchema, 0, max(a.Total, len(a.Planted))
	for _, p := range a.Planted {
		if p.Caught {
			a.Caught++
		}
	}
}
