package history

// MatrixSchema names the JSON form of a Matrix.
const MatrixSchema = "paytwice.matrix/1"

// Matrix is strategies against crash points: how often each approved action happened.
type Matrix struct {
	Schema   string     `json:"schema"`
	Scenario string     `json:"scenario"`
	Mode     string     `json:"mode"`
	Seed     int64      `json:"seed"`
	Cells    []Cell     `json:"cells"`
	Summary  Summary    `json:"summary"`
	Map      []MapEntry `json:"map,omitempty"`
	// Notes say which cells there are not, and why.
	Notes []string `json:"notes,omitempty"`
	// Unfilled are the points that no strategy passes.
	Unfilled []string `json:"unfilled,omitempty"`
	// LeftOut says what was not filled because the run was interrupted.
	LeftOut string `json:"left_out,omitempty"`
	// Shard is "I/N" for one of N parts of a matrix. Part is set where the document is not whole.
	Shard string `json:"shard,omitempty"`
	Part  *Part  `json:"part,omitempty"`
}

// Cell is one action of one run of one plan.
type Cell struct {
	Ticket         string   `json:"ticket"`
	Action         int      `json:"action"`
	Tool           string   `json:"tool"`
	OperationID    string   `json:"operation_id"`
	What           string   `json:"what"`
	Point          string   `json:"point"`
	Strategy       string   `json:"strategy"`
	Provider       string   `json:"provider"`
	Plan           string   `json:"plan"`
	Landed         bool     `json:"landed"`
	Effects        int      `json:"effects"`
	AmountCents    int64    `json:"amount_cents,omitempty"`
	Currency       string   `json:"currency,omitempty"`
	Calls          int      `json:"calls"`
	Lookups        int      `json:"lookups"`
	Incarnations   int      `json:"incarnations"`
	ModelCalls     int      `json:"model_calls"`
	Status         string   `json:"status"`
	HandedToPerson bool     `json:"handed_to_person"`
	Verdict        Verdict  `json:"verdict"`
	Violations     []string `json:"violations"`
	Replay         string   `json:"replay"`
}

// Summary counts the cells of a matrix.
type Summary struct {
	Cells          int `json:"cells"`
	Landed         int `json:"landed"`
	DoubleWrites   int `json:"double_writes"`
	LostWrites     int `json:"lost_writes"`
	HandedToPerson int `json:"handed_to_person"`
	Undecided      int `json:"undecided"`
}

// MapEntry is the class of one strategy on one provider profile: the worst of its cells.
type MapEntry struct {
	Strategy string `json:"strategy"`
	Provider string `json:"provider"`
	Class    Class  `json:"class"`
}

// Class is what a cell of the map says.
type Class string

// The classes, from the best to the worst.
const (
	Safe     Class = "safe"
	ByPerson Class = "person"
	Lost     Class = "lost"
	Double   Class = "double"
)

// Class returns the cell's own class. Other invariants don't change it.
func (c Cell) Class() Class {
	switch {
	case c.Effects > 1:
		return Double
	case c.has("lost-write"):
		return Lost
	case c.HandedToPerson:
		return ByPerson
	default:
		return Safe
	}
}

func (c Cell) has(violation string) bool {
	for _, v := range c.Violations {
		if v == violation {
			return true
		}
	}
	return false
}

var rank = map[Class]int{Safe: 0, ByPerson: 1, Lost: 2, Double: 3}

// Worse returns the worse of two classes.
func Worse(a, b Class) Class {
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// Sum fills the summary and, with several strategies and providers, the map.
func (m *Matrix) Sum() {
	m.Summary = Summary{Cells: len(m.Cells)}
	strategies, providers := map[string]bool{}, map[string]bool{}
	classes := map[MapEntry]Class{}
	var order []MapEntry
	for _, c := range m.Cells {
		if c.Landed {
			m.Summary.Landed++
		}
		switch class := c.Class(); class {
		case Double:
			m.Summary.DoubleWrites++
		case Lost:
			m.Summary.LostWrites++
		}
		if c.HandedToPerson {
			m.Summary.HandedToPerson++
		}
		if c.Verdict == Undecided {
			m.Summary.Undecided++
		}
		strategies[c.Strategy], providers[c.Provider] = true, true
		key := MapEntry{Strategy: c.Strategy, Provider: c.Provider}
		if _, ok := classes[key]; !ok {
			order = append(order, key)
			classes[key] = Safe
		}
		classes[key] = Worse(classes[key], c.Class())
	}
	m.Map = nil
	if len(strategies) < 2 || len(providers) < 2 {
		return
	}
	for _, key := range order {
		m.Map = append(m.Map, MapEntry{key.Strategy, key.Provider, classes[key]})
	}
}
