package faults

import "fmt"

// ParseFault returns the event of a verb with its argument and without a point, such as "deliver-late 30s":
// a fault that a search may put at any point. Kills are no such fault, since every plan has them.
func ParseFault(text string) (Event, error) {
	w := words(text, 0)
	if len(w) == 0 {
		return Event{}, fmt.Errorf("a fault is missing")
	}
	g, ok := grammarOf(Verb(w[0].text))
	if !ok {
		return Event{}, fmt.Errorf("%s", unknownVerb(w[0].text))
	}
	if g.verb == Run || g.verb == Kill {
		return Event{}, fmt.Errorf("%s is no fault beside the kill", g.verb)
	}
	e := Event{Verb: g.verb}
	w = w[1:]
	if g.argument != noArgument {
		if len(w) == 0 {
			return Event{}, fmt.Errorf("%s needs %s", g.verb, argumentText(g.argument))
		}
		if err := parseArgument(&e, g.argument, w[0].text); err != nil {
			return Event{}, err
		}
		w = w[1:]
	}
	if len(w) > 0 {
		return Event{}, fmt.Errorf("%q is too much after %s", w[0].text, g.verb)
	}
	return e, nil
}

// Fault returns the event's text without its point, as ParseFault reads it.
func (e Event) Fault() string {
	e.Point = Point{}
	text := e.String()
	if e.Verb.AtPoint() {
		text = text[:len(text)-len(e.Point.String())-1]
	}
	return text
}
