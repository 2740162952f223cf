package transfer

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/scenarios"
)

// View is what is durable in a state of the program.
type View struct {
	Record Record
	Books  Books
	Alerts []Alert
	lease  Lease
}

// Look returns what is durable in a state.
//
// Errors: a text can't be read.
func Look(s explorer.State) (View, error) { return look(scenarios.TextsOf(s)) }

func look(texts map[string]string) (View, error) {
	c, err := scenarios.Value[checkpoint](CheckpointFile, texts[CheckpointFile])
	if err != nil {
		return View{}, err
	}
	books, err := scenarios.Value[Books](BankFile, texts[BankFile])
	if err != nil {
		return View{}, err
	}
	alerts, err := scenarios.Value[[]Alert](AlertsFile, texts[AlertsFile])
	return View{c.Record, books, alerts, c.Lease}, err
}

// canonical leaves out tokens and moments. Of a lease only the rest of its time counts, and of a
// committed transfer no longer how many calls it took.
func (f Form) canonical(texts map[string]string, now time.Time) string {
	v, err := look(texts)
	if err != nil {
		return fmt.Sprint(texts)
	}
	if v.Record.Status == Committed {
		v.Record.Attempts = 0
	}
	var b strings.Builder
	record, _ := json.Marshal(v.Record)
	fmt.Fprintf(&b, "record %s\nlease %s\n", record, max(0, v.lease.ExpiresAt.Sub(now)))
	names := make([]string, 0, len(v.Books.Accounts))
	for name := range v.Books.Accounts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "account %s %+v\n", name, v.Books.Accounts[name])
	}
	for _, e := range v.Books.Entries {
		e.At = time.Time{}
		fmt.Fprintf(&b, "entry %+v\n", e)
	}
	fmt.Fprintf(&b, "loses credits %t\nalerts %+v", v.Books.LosesCredits, v.Alerts)
	return b.String()
}

// outcome is the bank's books as the ledger, and the record as the program's own. An entry that debited
// without crediting is in the ledger as the half that it is: it is not the record that was approved.
func (f Form) outcome(texts map[string]string, _ time.Time) *check.Outcome {
	o := &check.Outcome{NoTrail: true}
	v, err := look(texts)
	if err != nil {
		o.Runs = append(o.Runs, history.Saved{Run: runID, Status: "unreadable"})
		return o
	}
	o.Runs = append(o.Runs, *v.Record.saved())
	for n, e := range v.Books.Entries {
		effect := history.Effect{Seq: n + 1, Tool: "transfer", Ticket: e.By, OperationID: e.Key, RecordID: e.Record,
			Subject: strings.TrimSuffix(e.From+" to "+e.To, " to "), AmountCents: e.DebitedCents, Currency: "USD",
			Payload: fmt.Sprintf("debited %d, credited %d", e.DebitedCents, e.CreditedCents), Reversed: e.Reversed, At: e.At}
		if e.By == runID {
			effect.Intent = operationID
		}
		if e.DebitedCents != e.CreditedCents {
			effect.RecordID += ":debit"
		}
		o.Ledger = append(o.Ledger, effect)
	}
	for _, a := range v.Alerts {
		o.Alerts = append(o.Alerts, a.Text)
	}
	o.Broken = v.broken()
	o.RuledOut = map[string]bool{operationID: v.Books.Accounts["A"].BalanceCents <= moreThanCents}
	return o
}
