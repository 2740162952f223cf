package faults

// Verb is what an event of a plan does.
type Verb string

// The verbs. Kill and Pause stand at any position, the others with a point at During; the last three
// happen before a life starts and have no point.
const (
	Run          Verb = "run"
	Kill         Verb = "kill"
	LoseRequest  Verb = "lose-request"
	LoseResponse Verb = "lose-response"
	DeliverLate  Verb = "deliver-late"
	Unavailable  Verb = "unavailable"
	Refuse       Verb = "refuse"
	Lag          Verb = "lag"
	Pause        Verb = "pause"
	Advance      Verb = "advance"
	World        Verb = "world"
	Resumers     Verb = "resumers"
)

// argumentKind is what follows a verb.
type argumentKind int

const (
	noArgument argumentKind = iota
	durationArgument
	nameArgument
	countArgument
)

// grammar says, for each verb, its argument and whether it stands at a point.
type grammar struct {
	verb     Verb
	argument argumentKind
	atPoint  bool
}

var verbs = []grammar{
	{Run, noArgument, false},
	{Kill, noArgument, true},
	{LoseRequest, noArgument, true},
	{LoseResponse, noArgument, true},
	{DeliverLate, durationArgument, true},
	{Unavailable, noArgument, true},
	{Refuse, noArgument, true},
	{Lag, durationArgument, true},
	{Pause, durationArgument, true},
	{Advance, durationArgument, false},
	{World, nameArgument, false},
	{Resumers, countArgument, false},
}

// Verbs returns the verbs in the order of the grammar.
func Verbs() []Verb {
	out := make([]Verb, len(verbs))
	for i, g := range verbs {
		out[i] = g.verb
	}
	return out
}

// AtPoint reports whether the verb stands at a point rather than before a life.
func (v Verb) AtPoint() bool {
	g, _ := grammarOf(v)
	return g.atPoint
}

// AnyPosition reports whether the verb may stand at every position, not only at During.
func (v Verb) AnyPosition() bool { return v == Kill || v == Pause }

func grammarOf(v Verb) (grammar, bool) {
	for _, g := range verbs {
		if g.verb == v {
			return g, true
		}
	}
	return grammar{}, false
}
