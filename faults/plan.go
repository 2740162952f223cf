package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Event is one thing that a plan injects. Of Duration, Name and Count only the one its verb takes is set.
type Event struct {
	Verb     Verb
	Duration time.Duration
	Name     string
	Count    int
	// Point is where it strikes; the zero Point for what happens before a life starts.
	Point Point
}

// Life is what is injected in one incarnation of a process; empty means that nothing is.
type Life []Event

// Plan has one Life per incarnation, in order. After the last one, lives run undisturbed.
type Plan []Life

// KillAt returns the event that kills at a point.
func KillAt(p Point) Event { return Event{Verb: Kill, Point: p} }

// Faults counts the events of a plan, the measure by which plans are small.
func (p Plan) Faults() int {
	n := 0
	for _, life := range p {
		n += len(life)
	}
	return n
}

// Life returns the i-th life of the plan, from 0, empty past its end.
func (p Plan) Life(i int) Life {
	if i < len(p) {
		return p[i]
	}
	return nil
}

// Kill returns the point of the life's kill, nil without one.
func (l Life) Kill() *Point {
	for _, e := range l {
		if e.Verb == Kill {
			return &e.Point
		}
	}
	return nil
}

// Last returns the last event that stands at a point, by which plans are told apart in classes.
func (p Plan) Last() (Event, bool) {
	for i := len(p) - 1; i >= 0; i-- {
		for j := len(p[i]) - 1; j >= 0; j-- {
			if p[i][j].Verb.AtPoint() {
				return p[i][j], true
			}
		}
	}
	return Event{}, false
}

// LastPoint returns the point of the plan's last fault without the count of its call. A fault without a point
// stands for itself, "run" for no fault at all.
func (p Plan) LastPoint() string {
	for i := len(p) - 1; i >= 0; i-- {
		for j := len(p[i]) - 1; j >= 0; j-- {
			e := p[i][j]
			switch {
			case e.Verb == Run:
			case e.Verb.AtPoint():
				point, _, _ := strings.Cut(e.Point.String(), "#")
				return point
			default:
				return e.String()
			}
		}
	}
	return string(Run)
}

// String returns the plan as one line that Parse reads back. A plan without lives prints as "run".
func (p Plan) String() string {
	if len(p) == 0 {
		return string(Run)
	}
	lives := make([]string, len(p))
	for i, life := range p {
		lives[i] = life.String()
	}
	return strings.Join(lives, "; ")
}

func (l Life) String() string {
	if len(l) == 0 {
		return string(Run)
	}
	events := make([]string, len(l))
	for i, e := range l {
		events[i] = e.String()
	}
	return strings.Join(events, ", ")
}

func (e Event) String() string {
	parts := []string{string(e.Verb)}
	g, _ := grammarOf(e.Verb)
	switch g.argument {
	case durationArgument:
		parts = append(parts, formatDuration(e.Duration))
	case nameArgument:
		parts = append(parts, e.Name)
	case countArgument:
		parts = append(parts, strconv.Itoa(e.Count))
	}
	if g.atPoint {
		parts = append(parts, e.Point.String())
	}
	return strings.Join(parts, " ")
}

// formatDuration prints 25h, 2m or 1m30s, not 25h0m0s.
func formatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalText writes the plan as String does.
func (p Plan) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (p *Plan) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*p = parsed
	}
	return err
}

// ParseError is returned when a text is no plan; Column counts bytes from 1.
type ParseError struct {
	Text   string
	Column int
	Reason string
}

func (e *ParseError) Error() string { return fmt.Sprintf("plan: column %d: %s", e.Column, e.Reason) }
