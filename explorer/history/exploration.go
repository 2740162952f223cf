package history

// The schemas of explorations.
const (
	ExploreSchema      = "paytwice.explore/1"
	ExplorationsSchema = "paytwice.explorations/1"
)

// Exploration is one search over every plan of up to Crashes faults. Recording names what of the recorded
// decisions differs from the default.
type Exploration struct {
	Schema         string   `json:"schema"`
	Scenario       string   `json:"scenario"`
	Ticket         string   `json:"ticket,omitempty"`
	Strategy       string   `json:"strategy,omitempty"`
	Provider       string   `json:"provider,omitempty"`
	Recording      string   `json:"recording,omitempty"`
	Mode           string   `json:"mode"`
	Crashes        int      `json:"crashes"`
	Faults         []string `json:"faults,omitempty"`
	Seed           int64    `json:"seed"`
	Points         int      `json:"points"`
	PlansCovered   int64    `json:"plans_covered"`
	Incarnations   int      `json:"incarnations_run"`
	States         int      `json:"states"`
	PlansDistinct  int64    `json:"plans_distinct"`
	Closed         bool     `json:"closed"`
	HandedToPerson int64    `json:"handed_to_person"`
	// ModelCalls are those that the undisturbed run pays for, ModelCallsMost those of the plan that pays most.
	ModelCalls     int              `json:"model_calls"`
	ModelCallsMost int              `json:"model_calls_most"`
	Complete       bool             `json:"complete"`
	Unreached      []string         `json:"unreached"`
	LeftOut        string           `json:"left_out"`
	Violations     []Counterexample `json:"violations"`
	// Classes says at which points each invariant breaks: mending one leaves the others.
	Classes []PointClass `json:"classes,omitempty"`
	// Part is set where the document is not whole: the search was interrupted.
	Part *Part `json:"part,omitempty"`
}

// PointClass is an invariant and the point, without the count of its call, of the last fault that breaks it.
type PointClass struct {
	Invariant string `json:"invariant"`
	Point     string `json:"point"`
	Plan      string `json:"plan"`
}

// Counterexample is the smallest plan of one class of violation.
type Counterexample struct {
	Invariant string `json:"invariant"`
	Plan      string `json:"plan"`
	Faults    int    `json:"faults"`
	Effects   int    `json:"effects"`
	Detail    string `json:"detail"`
	Replay    string `json:"replay"`
}

// Verdict returns what the exploration amounts to.
func (e Exploration) Verdict() Verdict {
	switch {
	case len(e.Violations) > 0:
		return Violated
	case !e.Complete:
		return Undecided
	default:
		return Pass
	}
}

// Explorations is several searches in one document.
type Explorations struct {
	Schema string        `json:"schema"`
	Runs   []Exploration `json:"runs"`
	// LeftOut says what the command did not run.
	LeftOut []string `json:"left_out,omitempty"`
	// Ratchet is set where the run was held against a baseline.
	Ratchet *Ratchet `json:"baseline,omitempty"`
	// Shard is "I/N" for one of N parts of a run. Part is set where the document is not whole.
	Shard string `json:"shard,omitempty"`
	Part  *Part  `json:"part,omitempty"`
}

// PointList is the points of an undisturbed run.
type PointList struct {
	Points []PointLine `json:"points"`
}

// PointLine is one point; Name can be given to --point.
type PointLine struct {
	Name     string `json:"name"`
	Position string `json:"position"`
	Reached  bool   `json:"reached"`
}
