package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// Kind says how a row of a story is marked.
type Kind string

// The kinds that are marked.
const (
	Plain     Kind = ""
	Wrote     Kind = "wrote"
	Fault     Kind = "fault"
	Reconcile Kind = "reconcile"
)

// Row is one line of a story: which part of the workflow, and what happens.
type Row struct {
	Part string `json:"part"`
	What string `json:"what"`
	Kind Kind   `json:"kind,omitempty"`
}

// Story tells a history as the lesson's explorer does: the writes, the stop, what the record says, what the
// resume does, and the end. Every row is taken from the events and the ledger.
func Story(h history.History) []Row {
	t := &teller{ledger: h.Ledger, told: map[string]int{}}
	for i, life := range h.Lives {
		t.life(i, life)
	}
	return t.rows
}

type teller struct {
	rows    []Row
	ledger  []history.Effect
	keyless int
	told    map[string]int
}

func (t *teller) say(kind Kind, part, format string, args ...any) {
	t.rows = append(t.rows, Row{part, inert(fmt.Sprintf(format, args...)), kind})
}

func (t *teller) life(n int, life history.Life) {
	resumed := n == 0
	var status string
	for i := range life.Events {
		e := &life.Events[i]
		if e.Loaded != nil && n > 0 {
			t.checkpoint(e.Loaded)
		}
		if !resumed && e.Request != nil && e.Position == "before" {
			resumed = true
			t.resume(e)
		}
		t.event(e)
		if e.Saved != nil && e.Position == "after" {
			status = e.Saved.Status
		}
	}
	switch {
	case life.Ended == history.Killed:
		t.stop(life)
	case life.Ended == history.Failed:
		t.say(Fault, "stop", "the process ends with an error: %s", life.Error)
	default:
		t.say(Plain, "end", "status: %s", status)
	}
}

func (t *teller) event(e *history.Event) {
	switch {
	case e.Request != nil && e.Request.Write && e.Position == "during":
		t.write(e)
		if e.Injected == "lose-response" {
			t.say(Fault, "timeout", "no answer comes back: the answer is lost")
		}
	case e.Request != nil && e.Request.Ask && e.Position == "after":
		t.asked(e)
	}
}

// write tells what the service made of a request, by its ledger.
func (t *teller) write(e *history.Event) {
	name := e.Request.Key
	if name == "" {
		t.keyless++
		name = fmt.Sprintf("request-%d", t.keyless)
	}
	label := "operation " + name
	if e.Request.Key == "" {
		label = "request " + name
	}
	t.told[name]++
	for _, effect := range t.ledger {
		if effect.OperationID != name {
			continue
		}
		if t.told[name] > 1 {
			t.say(Plain, "write", "%s, %s: the service answers as the first time (%s)", t.action(e), label, effect.RecordID)
			return
		}
		t.say(Wrote, "write", "%s, %s: the %s makes the %s (%s)", t.action(e), label, service(e.Seam), thing(effect.Tool), effect.RecordID)
		return
	}
	t.say(Plain, "write", "%s, %s: the %s makes nothing of it", t.action(e), label, service(e.Seam))
}

// action is the tool and what it is about: the amount for a refund.
func (t *teller) action(e *history.Event) string {
	words := strings.Fields(e.Request.What)
	if len(words) > 2 && words[0] == "request_refund" {
		return words[0] + " " + words[2]
	}
	return e.Request.What
}

func service(seam string) string {
	if seam == "payment" {
		return "payment service"
	}
	return seam
}

func thing(tool string) string {
	switch tool {
	case "request_refund":
		return "refund"
	case "create_return_label":
		return "label"
	case "reship_item":
		return "reshipment"
	}
	return "change"
}

func (t *teller) asked(e *history.Event) {
	about := "operation " + e.Request.Intent
	if e.Operation == "recent_changes" {
		about = "the recent changes of " + e.Request.What
	}
	switch e.Answer {
	case history.Found:
		t.say(Reconcile, "reconcile", "asks the service about %s -> found: it happened (%s)", about, e.RecordID)
	case history.NotFound:
		t.say(Reconcile, "reconcile", "asks the service about %s -> not found", about)
	default:
		t.say(Reconcile, "reconcile", "asks the service about %s -> %s", about, e.Answer)
	}
}

// checkpoint tells what the record says when the next process reads it.
func (t *teller) checkpoint(s *history.Saved) {
	said := false
	for _, op := range s.Operations {
		switch {
		case op.Status == history.OperationPending && op.Attempts > 0:
			t.say(Plain, "checkpoint", "the record says: %s pending, %d call(s)", op.ID, op.Attempts)
		case op.Status == history.OperationPending:
			t.say(Plain, "checkpoint", "the record says: %s not tried yet", op.ID)
		default:
			t.say(Plain, "checkpoint", "the record says: %s %s", op.ID, op.Status)
		}
		said = true
	}
	if !said {
		t.say(Plain, "checkpoint", "the record says: %s, step %d, nothing tried yet", s.Status, s.Step)
	}
}

// resume tells what the next process does first about the matter.
func (t *teller) resume(e *history.Event) {
	switch {
	case e.Request.Ask:
		t.say(Plain, "resume", "resume: it may have happened, so ask before calling again")
	case e.Request.Key != "":
		t.say(Plain, "resume", "resume: not recorded as done, so send it under the same operation id")
	default:
		t.say(Plain, "resume", "resume: not recorded as done, and there is no id to ask about, so send it")
	}
}

func (t *teller) stop(life history.Life) {
	last := &life.Events[len(life.Events)-1]
	where := life.At
	if last.Request != nil && last.Request.Write {
		switch last.Position {
		case "before":
			where = "before the write"
		case "during-lost":
			where = "during the call: sent, and never done"
		case "during":
			where = "during the call: done, and the answer never seen"
		case "after":
			where = "after the write, before it was recorded"
		}
	}
	t.say(Fault, "stop", "the process is killed %s", where)
}

// Explain returns the sentence that explains a history's count.
func Explain(h history.History) string {
	made := int64(0)
	currency := ""
	for _, e := range h.Ledger {
		if !e.Reversed {
			made += e.AmountCents
			currency = e.Currency
		}
	}
	asked := false
	for _, r := range Story(h) {
		asked = asked || r.Kind == Reconcile
	}
	person := len(h.Lives) > 0 && h.Lives[len(h.Lives)-1].Ended == history.Person
	doubled, lost := has(h, "double-write"), has(h, "lost-write")
	switch {
	case doubled && currency != "":
		return fmt.Sprintf("%d refunds, %s %s in all: the customer is paid more than once. The change had happened, the record did not say so, and nothing asked the service: the request was sent again.", len(h.Ledger), formatCents(made), currency)
	case doubled:
		return fmt.Sprintf("%d changes where one was approved: the change had happened, the record did not say so, and the request was sent again.", len(h.Ledger))
	case lost:
		return "An approved change never happened, and nobody knows of it: the record called it done before the call was made."
	case person:
		return "A person decides: what happened could not be settled from here, and nothing more was sent."
	case asked:
		return "One intent, one change: the record said that a call had been tried, so the service was asked before anything was sent again."
	case len(h.Lives) > 1:
		return "One intent, one change: nothing had happened before the stop, or the service recognised the repeat, so going on was safe."
	default:
		return "One intent, one change."
	}
}

func has(h history.History, invariant string) bool {
	for _, v := range h.Violations {
		if v == invariant {
			return true
		}
	}
	return false
}

// StoryText writes the story of a history as a numbered table, the sentence that explains it, and the
// ledger.
func StoryText(w io.Writer, h history.History, s Style) error {
	var b strings.Builder
	t := plainTable()
	t.AppendRow([]any{"#", "part", "what happens"})
	for i, r := range Story(h) {
		lines := wrap(r.What, 78)
		t.AppendRow([]any{i + 1, s.kind(r.Kind, r.Part), lines[0]})
		for _, l := range lines[1:] {
			t.AppendRow([]any{"", "", l})
		}
	}
	right(t, 1)
	b.WriteString(render(t) + "\n")
	b.WriteString(strings.Join(wrap(Explain(h), 96), "\n") + "\n\n")
	b.WriteString(ledgerText(h, s))
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Style) kind(k Kind, text string) string {
	switch k {
	case Wrote:
		return paint(s.Strong, text)
	case Fault:
		return paint(s.Bad, text)
	case Reconcile:
		return paint(s.Good, text)
	}
	return text
}

func ledgerText(h history.History, s Style) string {
	var b strings.Builder
	if len(h.Ledger) == 0 {
		b.WriteString("The ledger is empty: nothing happened outside the process.\n")
	} else {
		fmt.Fprintf(&b, "In the ledger at the end, %s:\n", plural(int64(len(h.Ledger)), "change"))
		t := plainTable()
		for _, e := range h.Ledger {
			how := "operation " + inert(e.OperationID)
			if strings.HasPrefix(e.OperationID, "request-") {
				how = "request " + inert(e.OperationID)
			}
			if e.Reversed {
				how += ", taken back"
			}
			t.AppendRow([]any{"  " + inert(e.RecordID), inert(e.Payload), how})
		}
		b.WriteString(render(t))
	}
	fmt.Fprintf(&b, "\nVerdict: %s\n", s.verdict(h.Verdict, verdictLine(h)))
	for _, v := range h.Broken {
		b.WriteString(strings.Join(wrap("  "+v.Invariant+": "+inert(v.Detail), 98), "\n    ") + "\n")
	}
	return b.String()
}

func verdictLine(h history.History) string {
	if len(h.Violations) == 0 {
		return string(h.Verdict)
	}
	return string(h.Verdict) + " (" + strings.Join(h.Violations, ", ") + ")"
}

// wrap breaks a text into lines of at most n columns, between words.
func wrap(text string, n int) []string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var lines []string
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && len([]rune(line))+1+len([]rune(word)) > n {
			lines = append(lines, line)
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
