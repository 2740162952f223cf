package history

import (
	"fmt"
	"strings"
)

// Tell fills the sentence of every event that has none. It changes nothing that a judge reads.
func (h *History) Tell() {
	for i := range h.Lives {
		for j := range h.Lives[i].Events {
			e := &h.Lives[i].Events[j]
			if e.What == "" {
				e.What = e.sentence()
			}
		}
	}
}

func (e *Event) sentence() string {
	text := e.plain()
	if e.Injected != "" {
		text += "; injected: " + e.Injected
	}
	return text
}

func (e *Event) plain() string {
	switch e.Position {
	case "before":
		return e.beforeText()
	case "during-lost":
		return "the request is under way"
	case "during":
		return "the other side has done its work"
	default:
		return e.afterText()
	}
}

func (e *Event) beforeText() string {
	switch {
	case e.Request != nil && e.Request.Write && e.Request.Key != "":
		return fmt.Sprintf("sends %s under key %s", e.Request.What, e.Request.Key)
	case e.Request != nil && e.Request.Write:
		return fmt.Sprintf("sends %s without a key", e.Request.What)
	case e.Request != nil && e.Request.Ask && e.Request.Intent != "":
		return "asks whether operation " + e.Request.Intent + " happened"
	case e.Request != nil && e.Request.Ask:
		return "looks among the recent changes of " + e.Request.What
	case e.Decision != nil:
		return fmt.Sprintf("asks the model for step %d, recording %d", e.Decision.Step, e.Decision.Repeat)
	case e.Saved != nil:
		return "is about to save " + e.Saved.text()
	}
	return "calls " + e.Seam + "." + e.Operation
}

func (e *Event) afterText() string {
	switch {
	case e.Saved != nil && e.Answer == Answered:
		return "saved " + e.Saved.text()
	case e.Loaded != nil:
		return "loaded " + e.Loaded.text()
	case e.RecordID != "" && e.Repeated:
		return fmt.Sprintf("answer: %s, an earlier request's (%s)", e.Answer, e.RecordID)
	case e.RecordID != "":
		return fmt.Sprintf("answer: %s (%s)", e.Answer, e.RecordID)
	}
	return "answer: " + e.Answer
}

// text returns what is on record in a few words.
func (s *Saved) text() string {
	parts := []string{s.Run, s.Status}
	if len(s.Operations) == 0 {
		parts = append(parts, fmt.Sprintf("step %d", s.Step))
	}
	for _, op := range s.Operations {
		text := fmt.Sprintf("%s %s, %d call(s)", op.ID, op.Status, op.Attempts)
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}
