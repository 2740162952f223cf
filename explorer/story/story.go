package story

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
)

// Kind says how a row is marked.
type Kind string

// The kinds that are marked.
const (
	Plain     Kind = ""
	Wrote     Kind = "wrote"
	Fault     Kind = "fault"
	Reconcile Kind = "reconcile"
)

// Part is the part of the workflow that a row tells of.
type Part string

// The parts. Work, Save and Start stand in a timeline only.
const (
	Write      Part = "write"
	Stop       Part = "stop"
	Checkpoint Part = "checkpoint"
	Resume     Part = "resume"
	Asking     Part = "reconcile"
	Timeout    Part = "timeout"
	End        Part = "end"
	Work       Part = "work"
	Save       Part = "save"
)

// Lane is where a row takes place.
type Lane string

// The lanes: inside the process, or between it and one of the two registers.
const (
	InProcess    Lane = "process"
	ToCheckpoint Lane = "checkpoint"
	ToService    Lane = "service"
)

// Row is one line of a story: which part of the workflow, and what happens.
type Row struct {
	Part Part
	What Text
	Kind Kind
	Lane Lane
	// Life counts from 1.
	Life int
	// Detail rows are for a timeline; the numbered table leaves them out.
	Detail bool
	// Answered: the caller saw the answer of this call.
	Answered bool

	// intent is what a write or a question is about, as far as it says; keyed: the write carries an id;
	// known: the service's answer tells of a change that had been made.
	intent       string
	keyed, known bool
}

// Register is both registers at the end of a life: what the program has on record, and what happened.
type Register struct {
	Life   int
	Killed bool
	Run    string
	// Status is empty if nothing is on record.
	Status     string
	Operations []history.Operation
	Ledger     []history.Effect
}

// Story is a history as it is told. Why is the sentence that explains its count; Registers are both
// registers as each life left them.
type Story struct {
	Rows      []Row
	Registers []Register
	Why       Text
}

// Table returns the rows of the numbered table.
func (s Story) Table() []Row {
	var out []Row
	for _, r := range s.Rows {
		if !r.Detail {
			out = append(out, r)
		}
	}
	return out
}

// Tell tells a history as the lesson's explorer does: the writes, the stop, what the record says, what the
// resume does, and the end.
func Tell(h history.History) Story {
	t := &teller{ledger: h.Ledger, made: map[int]bool{}, open: map[string]int{}, keylessOf: keyless(h)}
	for i, life := range h.Lives {
		t.life(i, life)
		t.register(i, life, i == len(h.Lives)-1)
	}
	t.story.Why = t.story.explain(h)
	return t.story
}

// keyless returns the tools of the intents whose writes carry no id, where nothing is ever asked: what the
// record holds of their ids is of no use to the next process.
func keyless(h history.History) map[string]string {
	out, keyed := map[string]string{}, map[string]bool{}
	for _, life := range h.Lives {
		for i := range life.Events {
			r := life.Events[i].Request
			switch {
			case r == nil:
			case r.Ask && r.Intent == "":
				return nil
			case r.Ask, r.Key != "":
				keyed[r.Intent] = true
			case r.Write:
				out[r.Intent] = life.Events[i].Operation
			}
		}
	}
	for intent := range keyed {
		delete(out, intent)
	}
	return out
}

type teller struct {
	story   Story
	ledger  []history.Effect
	keyless int
	// keylessOf names the tool of each intent that is sent without an id, and never asked about.
	keylessOf map[string]string
	// made holds the entries of the ledger that were told of.
	made map[int]bool
	// open holds the row of each call of this life that has no answer yet.
	open  map[string]int
	now   int
	quiet tally
	saved *history.Saved
}

func (t *teller) say(r Row) {
	t.flush()
	r.Life = t.now
	t.story.Rows = append(t.story.Rows, r)
}

func (t *teller) life(n int, life history.Life) {
	t.now = n + 1
	clear(t.open)
	resumed := n == 0
	status := ""
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
		t.say(Row{Part: Stop, Kind: Fault, Lane: InProcess, What: errorText.Format(life.Error)})
	default:
		t.say(Row{Part: End, Lane: InProcess, What: statusText.Format(RunStatus(status))})
	}
}

func (t *teller) event(e *history.Event) {
	switch {
	case e.Request != nil && e.Request.Write && e.Position == "during":
		t.write(e)
		t.open[callOf(e)] = len(t.story.Rows) - 1
		if e.Injected == "lose-response" {
			t.say(Row{Part: Timeout, Kind: Fault, Lane: ToService, What: lostAnswerText})
		}
	case e.Request != nil && e.Request.Write && e.Position == "after" && e.Answer != history.NoAnswer:
		if row, ok := t.open[callOf(e)]; ok {
			t.story.Rows[row].Answered = true
		}
	case e.Request != nil && e.Request.Ask && e.Position == "after":
		t.asked(e)
	case e.Saved != nil && e.Position == "after":
		t.save(e.Saved)
	case e.Request == nil && e.Position == "before":
		t.quiet.count(e)
	}
}

func callOf(e *history.Event) string { return fmt.Sprintf("%s.%s#%d", e.Seam, e.Operation, e.Call) }

// write tells what the service made of a request, by its ledger: its next entry for that id that no request
// accounts for yet, else one that an earlier request made.
func (t *teller) write(e *history.Event) {
	name, label := e.Request.Key, operationText
	if name == "" {
		t.keyless++
		name, label = fmt.Sprintf("request-%d", t.keyless), requestText
	}
	row := Row{Part: Write, Lane: ToService, intent: e.Request.Intent, keyed: e.Request.Key != "", What: nothingText.Format(action(e), label.Format(name), service(e.Seam))}
	for i, effect := range t.ledger {
		if effect.OperationID != name {
			continue
		}
		if !t.made[i] {
			t.made[i] = true
			row.Kind, row.known = Wrote, false
			row.What = madeText.Format(action(e), label.Format(name), service(e.Seam), change(effect.Tool), effect.RecordID)
			break
		}
		row.known = true
		row.What = repeatedText.Format(action(e), label.Format(name), effect.RecordID)
	}
	t.say(row)
}

// action is the tool and what it is about: the amount for a refund.
func action(e *history.Event) Text {
	words := strings.Fields(e.Request.What)
	if len(words) > 2 && words[0] == "request_refund" {
		return Text{words[0] + " " + words[2], words[0] + " " + strings.Replace(words[2], ".", ",", 1)}
	}
	return Same(e.Request.What)
}

func (t *teller) asked(e *history.Event) {
	about := aboutText.Format(e.Request.Intent)
	if e.Operation == "recent_changes" {
		about = recentText.Format(e.Request.What)
	}
	row := Row{Part: Asking, Kind: Reconcile, Lane: ToService, Answered: true, intent: e.Request.Intent}
	// A list of recent changes is read by the caller: what follows says whether it showed the change.
	row.known = e.Answer == history.Found || e.Answer == history.Answered
	switch e.Answer {
	case history.Found:
		row.What = foundText.Format(about, e.RecordID)
	case history.NotFound:
		row.What = notFoundText.Format(about)
	default:
		row.What = askedText.Format(about, e.Answer)
	}
	t.say(row)
}

// checkpoint tells what the record says when the next process reads it.
func (t *teller) checkpoint(s *history.Saved) {
	row := Row{Part: Checkpoint, Lane: ToCheckpoint, Answered: true}
	for _, op := range s.Operations {
		tool := t.keylessOf[op.ID]
		switch {
		case op.Status == history.OperationPending && tool != "":
			row.What = keylessText.Format(change(tool))
		case op.Status == history.OperationPending && op.Attempts > 0:
			row.What = pendingText.Format(op.ID, op.Attempts)
		case op.Status == history.OperationPending:
			row.What = untriedText.Format(op.ID)
		default:
			row.What = recordedText.Format(op.ID, OperationStatus(op.Status))
		}
		t.say(row)
	}
	if len(s.Operations) == 0 {
		row.What = noTryText.Format(RunStatus(s.Status), s.Step)
		t.say(row)
	}
}

// save tells of a save that says something about an operation, and counts the others.
func (t *teller) save(s *history.Saved) {
	t.saved = s
	if len(s.Operations) == 0 {
		t.quiet.saves++
		return
	}
	var ops []Text
	for _, op := range s.Operations {
		ops = append(ops, opText.Format(op.ID, OperationStatus(op.Status), op.Attempts))
	}
	t.say(Row{Part: Save, Lane: ToCheckpoint, Detail: true, Answered: true, What: join(ops, "; ")})
}

// resume tells what the next process does first about the matter.
func (t *teller) resume(e *history.Event) {
	row := Row{Part: Resume, Lane: InProcess, What: noIDText}
	switch {
	case e.Request.Ask:
		row.What = askFirstText
	case e.Request.Key != "":
		row.What = sameIDText
	}
	t.say(row)
}

func (t *teller) stop(life history.Life) {
	where := atText.Format(life.At)
	if n := len(life.Events); n > 0 && life.Events[n-1].Request != nil && life.Events[n-1].Request.Write {
		switch life.Events[n-1].Position {
		case "before":
			where = beforeText
		case "during-lost":
			where = lostText
		case "during":
			where = duringText
		case "after":
			where = afterText
		}
	}
	t.say(Row{Part: Stop, Kind: Fault, Lane: InProcess, What: killedText.Format(where)})
}

// register notes both registers as a life left them. At the end that is the whole ledger, with what came
// late or from others; before, what this story told of.
func (t *teller) register(n int, life history.Life, last bool) {
	r := Register{Life: n + 1, Killed: life.Ended == history.Killed}
	if t.saved != nil {
		r.Run, r.Status, r.Operations = t.saved.Run, t.saved.Status, t.saved.Operations
	}
	for i, e := range t.ledger {
		if last || t.made[i] {
			r.Ledger = append(r.Ledger, e)
		}
	}
	t.story.Registers = append(t.story.Registers, r)
}
