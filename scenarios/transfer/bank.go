package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// What the world outside keeps: the bank's books, and the alerts that a person was sent.
const (
	BankFile   = "bank.sqlite"
	AlertsFile = "alerts.sqlite"
)

// Books are the bank's durable state.
type Books struct {
	Accounts map[string]Account `json:"accounts"`
	Entries  []Entry            `json:"entries"`
	// Fence is the highest fencing token seen: a request with a lower one comes from a worker whose lease
	// went to another.
	Fence int `json:"fence"`
	// LosesCredits makes the bank debit without crediting, and answer that all is well.
	LosesCredits bool `json:"loses_credits,omitempty"`
}

// Account is one account, with the record of the last change made to it.
type Account struct {
	BalanceCents int64  `json:"balance_cents"`
	LastTransfer string `json:"last_transfer,omitempty"`
}

// Entry is one change of the books, with what it did to the rows and the marks that it found there.
// Refused: it stands, and the bank would not take it back when it was asked to.
type Entry struct {
	Record        string    `json:"record"`
	Key           string    `json:"key"`
	By            string    `json:"by"`
	From          string    `json:"from"`
	To            string    `json:"to,omitempty"`
	AmountCents   int64     `json:"amount_cents"`
	DebitedCents  int64     `json:"debited_cents"`
	CreditedCents int64     `json:"credited_cents"`
	FromMark      string    `json:"from_mark,omitempty"`
	ToMark        string    `json:"to_mark,omitempty"`
	Reversed      bool      `json:"reversed,omitempty"`
	Refused       bool      `json:"refused,omitempty"`
	At            time.Time `json:"at"`
}

// order is what a worker asks the bank for. Token is its fencing token.
type order struct {
	Key         string `json:"key,omitempty"`
	By          string `json:"by,omitempty"`
	Token       int    `json:"token"`
	From        string `json:"from,omitempty"`
	To          string `json:"to,omitempty"`
	AmountCents int64  `json:"amount_cents,omitempty"`
	Record      string `json:"record,omitempty"`
}

// found is the answer to a question for an entry.
type found struct {
	Found bool  `json:"found"`
	Entry Entry `json:"entry"`
}

// staleToken is the code of the bank's refusal of a fenced worker.
const staleToken = "stale_token"

// firstBooks are the lesson's accounts: A 1500 and B 200.
func firstBooks() Books {
	return Books{Accounts: map[string]Account{"A": {BalanceCents: 1500_00}, "B": {BalanceCents: 200_00}}}
}

// desk is the world outside the program: the bank, and whoever takes the alerts.
type desk struct {
	texts scenarios.Texts
	now   func() time.Time
}

// Call implements scenarios.Service. Every operation is one transaction.
func (d desk) Call(ctx context.Context, site faults.Site, body []byte) (any, error) {
	if site.Seam == "alert" {
		return d.alert(ctx, body)
	}
	var o order
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, fmt.Errorf("%s: %w", site, err)
	}
	var out any
	err := scenarios.UpdateValue(ctx, d.texts, BankFile, func(b *Books) (err error) {
		switch site.Operation {
		case "accounts":
			out = b.Accounts
		case "operation":
			err = b.fenced(o.Token)
			out = b.find(func(e Entry) bool { return e.Key == o.Key })
		case "read_back":
			out = b.find(func(e Entry) bool { return e.Record == o.Record })
		case "transfer":
			out, err = b.transfer(o, d.now())
		case "reverse":
			out, err = b.reverse(o)
		default:
			err = fmt.Errorf("the bank has no operation %s", site)
		}
		return err
	})
	return out, err
}

func (b *Books) find(is func(Entry) bool) found {
	if i := slices.IndexFunc(b.Entries, is); i >= 0 {
		return found{true, b.Entries[i]}
	}
	return found{}
}

// fenced lets the holders of the lease through in the order of their tokens.
func (b *Books) fenced(token int) error {
	if token < b.Fence {
		return &resolver.RefusedError{Code: staleToken, Message: fmt.Sprintf("token %d is older than %d", token, b.Fence)}
	}
	b.Fence = token
	return nil
}

// transfer moves an amount. A key that is known is answered with the first result; a request without one
// is named as it arrives.
func (b *Books) transfer(o order, now time.Time) (found, error) {
	if err := b.fenced(o.Token); err != nil {
		return found{}, err
	}
	if o.Key == "" {
		o.Key = fmt.Sprintf("request-%d", len(b.Entries)+1)
	} else if known := b.find(func(e Entry) bool { return e.Key == o.Key }); known.Found {
		return known, nil
	}
	if b.Accounts[o.From].BalanceCents < o.AmountCents {
		return found{}, &resolver.RefusedError{Code: "insufficient_funds", Message: o.From + " does not hold enough"}
	}
	e := Entry{Record: fmt.Sprintf("TR-%d", len(b.Entries)+1), Key: o.Key, By: o.By, From: o.From, To: o.To,
		AmountCents: o.AmountCents, DebitedCents: o.AmountCents, CreditedCents: o.AmountCents, At: now}
	if b.LosesCredits || o.To == "" {
		e.CreditedCents = 0
	}
	e.FromMark = b.book(e.From, -e.DebitedCents, e.Record)
	if e.CreditedCents > 0 {
		e.ToMark = b.book(e.To, e.CreditedCents, e.Record)
	}
	b.Entries = append(b.Entries, e)
	return found{true, e}, nil
}

// book changes one row and returns the mark that stood there.
func (b *Books) book(name string, cents int64, mark string) (before string) {
	a := b.Accounts[name]
	before = a.LastTransfer
	b.Accounts[name] = Account{a.BalanceCents + cents, mark}
	return before
}

// reverse takes back what an entry really did, once however often it is asked for: both rows and, where
// nobody changed them since, both marks are as before.
func (b *Books) reverse(o order) (found, error) {
	if err := b.fenced(o.Token); err != nil {
		return found{}, err
	}
	i := slices.IndexFunc(b.Entries, func(e Entry) bool { return e.Record == o.Record })
	if i < 0 {
		return found{}, &resolver.RefusedError{Code: "unknown_record", Message: o.Record + " is not in the books"}
	}
	e := &b.Entries[i]
	if !e.Reversed {
		b.unbook(e.From, e.DebitedCents, e.Record, e.FromMark)
		b.unbook(e.To, -e.CreditedCents, e.Record, e.ToMark)
		e.Reversed, e.Refused = true, false
	}
	return found{true, *e}, nil
}

// Refuses implements scenarios.Refuser: whether it was the bank that would not take an entry back must not
// be left to the program's word.
func (d desk) Refuses(ctx context.Context, site faults.Site, body []byte) error {
	var o order
	if err := json.Unmarshal(body, &o); err != nil || site != bankSite("reverse") {
		return err
	}
	return scenarios.UpdateValue(ctx, d.texts, BankFile, func(b *Books) error {
		for i, e := range b.Entries {
			if e.Record == o.Record && !e.Reversed {
				b.Entries[i].Refused = true
			}
		}
		return nil
	})
}

func (b *Books) unbook(name string, cents int64, record, mark string) {
	a := b.Accounts[name]
	a.BalanceCents += cents
	if a.LastTransfer == record {
		a.LastTransfer = mark
	}
	b.Accounts[name] = a
}

// alert keeps each alert once: a worker that does not know whether it was heard raises it again.
func (d desk) alert(ctx context.Context, body []byte) (any, error) {
	var a Alert
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("alert: %w", err)
	}
	return struct{}{}, scenarios.UpdateValue(ctx, d.texts, AlertsFile, func(all *[]Alert) error {
		if !slices.Contains(*all, a) {
			*all = append(*all, a)
		}
		return nil
	})
}

// The changes by somebody else.
const (
	// TakesATo500: another workflow takes account A to 500.
	TakesATo500 = "takes-a-to-500"
	// CreditsFail: from now on the bank debits, does not credit, and says that all is well.
	CreditsFail = "credits-fail"
)

// Happen implements scenarios.Service.
func (d desk) Happen(ctx context.Context, name string) error {
	return scenarios.UpdateValue(ctx, d.texts, BankFile, func(b *Books) error {
		switch name {
		case TakesATo500:
			if rest := b.Accounts["A"].BalanceCents - 500_00; rest > 0 {
				_, err := b.transfer(order{By: "another-workflow", Token: b.Fence, From: "A", AmountCents: rest}, d.now())
				return err
			}
			return nil
		case CreditsFail:
			b.LosesCredits = true
			return nil
		}
		known := []string{TakesATo500, CreditsFail}
		return &scenarios.UnknownError{Kind: "world event", Name: name, Nearest: faults.Nearest(name, known), Known: known}
	})
}
