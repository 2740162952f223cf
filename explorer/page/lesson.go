package page

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
)

// Explorer is the whole page: the lesson's cases and the map of strategies.
type Explorer struct {
	Lesson Lesson
	Map    Recorded
}

// Lesson is one approved refund, stopped in each way and gone on with in each way.
type Lesson struct {
	// Mode is how the runs were made, kill or simulate.
	Mode string
	// Ticket, Variant, Model and Repeat name the recorded decision.
	Ticket, Variant, Model string
	Repeat                 int
	Cases                  []Case
}

// Case is one run of the lesson. Point is before-write, during-call, timeout or after-write; WithID says
// that the resume carries the operation id.
type Case struct {
	Point  string
	WithID bool
	Cell   history.Cell
	Told   *story.Story
	Ledger []history.Effect
}

// lesson is a Lesson as the script reads it.
type lesson struct {
	Cases      []lessonCase `json:"cases"`
	Runs       int          `json:"runs"`
	Conclusion int          `json:"conclusion"`
	Why        int          `json:"why"`
	Source     int          `json:"source"`
	LedgerOf   int          `json:"ledger_of"`
}

type lessonCase struct {
	Point   string `json:"point"`
	WithID  bool   `json:"with_id"`
	Refunds int    `json:"refunds"`
	Amount  int    `json:"amount"`
	Calls   int    `json:"calls"`
	Mark    mark   `json:"mark"`
	Caption int    `json:"caption"`
	Plan    int    `json:"plan"`
	Telling int    `json:"telling"`
	Ledger  []int  `json:"ledger"`
}

func (d *data) lesson(l Lesson) *lesson {
	out := &lesson{Cases: []lessonCase{}}
	subject := ""
	for _, c := range l.Cases {
		how := "resume.new"
		if c.WithID {
			how = "resume.id"
		}
		one := lessonCase{Point: c.Point, WithID: c.WithID, Refunds: c.Cell.Effects, Amount: d.text(story.Money(c.Cell.AmountCents, currency(c.Cell, l))), Calls: c.Cell.Calls,
			Mark: markOf(c.Cell), Caption: d.ui("caption", lower(texts["stop."+c.Point]), lower(texts[how])), Plan: d.name(c.Cell.Plan),
			Telling: d.telling(c.Told), Ledger: []int{}}
		for _, e := range c.Ledger {
			one.Ledger = append(one.Ledger, d.refund(e))
			subject = e.Subject
		}
		out.Cases = append(out.Cases, one)
	}
	out.Runs = d.word("runs", l.Mode)
	out.Conclusion, out.Why = d.conclude(l.Cases)
	out.Source = d.ui("source", l.Ticket, l.Model, l.Variant, l.Repeat)
	out.LedgerOf = d.ui("ledger.of", subject)
	return out
}

// currency is the cell's own, or where nothing was refunded any other case's.
func currency(c history.Cell, l Lesson) string {
	for _, other := range l.Cases {
		if c.Currency == "" {
			c.Currency = other.Cell.Currency
		}
	}
	return c.Currency
}

// lower begins a text with a small letter, to stand inside a sentence.
func lower(t story.Text) story.Text {
	small := func(s string) string { return strings.ToLower(s[:1]) + s[1:] }
	return story.Text{EN: small(t.EN), FR: small(t.FR)}
}

// refund is one refund of the ledger: id, amount, code and the request that made it.
func (d *data) refund(e history.Effect) int {
	key := "refund.operation"
	if strings.HasPrefix(e.OperationID, "request-") {
		key = "refund.request"
	}
	return d.ui(key, e.RecordID, story.Money(e.AmountCents, e.Currency), e.Reason, e.OperationID)
}

// conclude counts the cases that pay twice among those that kill the process, and says what they share
// only where they do.
func (d *data) conclude(cases []Case) (conclusion, why int) {
	all, twice := 0, 0
	onlyWithoutID, harmlessBefore := true, true
	for _, c := range cases {
		if c.Point == "timeout" {
			continue // the same answer lost in another way, not a case of its own
		}
		all++
		if c.Cell.Effects > 1 {
			twice++
			onlyWithoutID = onlyWithoutID && !c.WithID
		}
		if c.Point == "before-write" {
			harmlessBefore = harmlessBefore && c.Cell.Effects == 1 && c.Cell.Verdict == history.Pass
		}
	}
	why = d.name("")
	if twice > 0 && onlyWithoutID && harmlessBefore {
		why = d.ui("conclusion.why")
	}
	return d.ui("conclusion.count", fmt.Sprint(twice), fmt.Sprint(all)), why
}
