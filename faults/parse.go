package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The bounds of a plan's text, so that a hostile one costs little.
const (
	MaxPlanBytes = 16 << 10
	MaxLives     = 64
	MaxEvents    = 64
)

// Parse returns the plan of one line of text.
//
//	plan  = life { "; " life }
//	life  = event { ", " event }
//	event = verb [ argument ] [ point ]
//
// A life in which nothing happens is the single word run. Parsing and printing are inverse.
//
// Events without a point happen before the life starts, in their order. What two of the verbs mean when
// other processes come in:
//
//   - pause D: the process stands still at the point. The clock moves by D, then another process lives one
//     undisturbed life on the same durable state, to its end; then the first goes on where it stood.
//   - resumers K: K processes live at once on the same durable state; the life's other events are the
//     first one's. In a simulation the others live undisturbed, each to its end, while the first stands
//     at a stated place: the second once the first has got its lease, each further one after one more of
//     the first's saves (checkpoint.save/after#1 and so on). A place that the first does not pass runs
//     nobody. In kill mode the others are started when the first has its lease, and then all K run beside
//     each other. Who comes before the first has its lease is a pause at lease.acquire/before.
//
// Errors: *ParseError with the column where the text stops being a plan.
func Parse(text string) (Plan, error) {
	if len(text) > MaxPlanBytes {
		return nil, &ParseError{text, MaxPlanBytes, fmt.Sprintf("longer than %d bytes", MaxPlanBytes)}
	}
	plan := Plan{}
	at := 0
	for _, part := range strings.Split(text, ";") {
		life, err := parseLife(text, part, at)
		if err != nil {
			return nil, err
		}
		if plan = append(plan, life); len(plan) > MaxLives {
			return nil, &ParseError{text, at + 1, fmt.Sprintf("more than %d lives", MaxLives)}
		}
		at += len(part) + 1
	}
	// "run" alone is the plan without lives: both print alike.
	if len(plan) == 1 && len(plan[0]) == 0 {
		return Plan{}, nil
	}
	return plan, nil
}

func parseLife(text, part string, at int) (Life, error) {
	life := Life{}
	runs := 0
	for _, piece := range strings.Split(part, ",") {
		e, err := parseEvent(text, piece, at)
		if err != nil {
			return nil, err
		}
		if e.Verb == Run {
			runs++
		} else {
			life = append(life, e)
		}
		if runs > 1 || runs == 1 && len(life) > 0 {
			return nil, &ParseError{text, at + 1, "run stands alone in its life: nothing happens there"}
		}
		if len(life) > MaxEvents {
			return nil, &ParseError{text, at + 1, fmt.Sprintf("more than %d events in a life", MaxEvents)}
		}
		at += len(piece) + 1
	}
	return life, nil
}

// word is a blank-separated piece of the text with the column where it starts.
type word struct {
	text   string
	column int
}

func words(piece string, at int) []word {
	var out []word
	for i := 0; i < len(piece); {
		if piece[i] == ' ' {
			i++
			continue
		}
		end := strings.IndexByte(piece[i:], ' ')
		if end < 0 {
			end = len(piece) - i
		}
		out = append(out, word{piece[i : i+end], at + i + 1})
		i += end
	}
	return out
}

func parseEvent(text, piece string, at int) (Event, error) {
	rest := words(piece, at)
	if len(rest) == 0 {
		return Event{}, &ParseError{text, at + 1, "an event is missing: a verb such as kill is expected"}
	}
	verb := rest[0]
	g, ok := grammarOf(Verb(verb.text))
	if !ok {
		return Event{}, &ParseError{text, verb.column, unknownVerb(verb.text)}
	}
	e := Event{Verb: g.verb}
	rest = rest[1:]
	if g.argument != noArgument {
		if len(rest) == 0 {
			return Event{}, &ParseError{text, verb.column + len(verb.text), string(g.verb) + " needs " + argumentText(g.argument)}
		}
		if err := parseArgument(&e, g.argument, rest[0].text); err != nil {
			return Event{}, &ParseError{text, rest[0].column, err.Error()}
		}
		rest = rest[1:]
	}
	if g.atPoint {
		if len(rest) == 0 {
			return Event{}, &ParseError{text, at + len(piece) + 1, string(g.verb) + " needs a point such as payment.request_refund/after#1"}
		}
		p, err := ParsePoint(rest[0].text)
		if err != nil {
			return Event{}, &ParseError{text, rest[0].column, err.Error()}
		}
		if p.Position != During && !g.verb.AnyPosition() {
			return Event{}, &ParseError{text, rest[0].column, fmt.Sprintf("%s stands at during only, not at %s", g.verb, p.Position)}
		}
		e.Point, rest = p, rest[1:]
	}
	if len(rest) > 0 {
		return Event{}, &ParseError{text, rest[0].column, fmt.Sprintf("%q is too much after %s", rest[0].text, g.verb)}
	}
	return e, nil
}

func parseArgument(e *Event, kind argumentKind, text string) error {
	switch kind {
	case durationArgument:
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return fmt.Errorf("%q is not a duration above 0 such as 30s", text)
		}
		e.Duration = d
	case nameArgument:
		if !isName(text) {
			return fmt.Errorf("%q is not a name", text)
		}
		e.Name = text
	case countArgument:
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 || n > 64 || strconv.Itoa(n) != text {
			return fmt.Errorf("%q is not a number from 2 to 64", text)
		}
		e.Count = n
	}
	return nil
}

func argumentText(kind argumentKind) string {
	switch kind {
	case durationArgument:
		return "a duration such as 30s"
	case nameArgument:
		return "a name"
	default:
		return "a number"
	}
}

func unknownVerb(text string) string {
	names := make([]string, len(verbs))
	for i, g := range verbs {
		names[i] = string(g.verb)
	}
	if near := Nearest(text, names); near != "" {
		return fmt.Sprintf("unknown verb %q (did you mean %s?)", text, near)
	}
	return fmt.Sprintf("unknown verb %q, not one of %s", text, strings.Join(names, ", "))
}
