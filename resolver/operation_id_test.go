package resolver_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

func TestOperationID_LessonVectors(t *testing.T) {
	dearer := feeRefund
	dearer.AmountCents = 19_90
	for _, c := range []struct {
		name, ticket string
		action       resolver.Action
		want         string
	}{
		{"the late fee", "T-90104", feeRefund, "797fbb5bbb9f8a7e"},
		{"another ticket", "T-90103", feeRefund, "1f9d2528fdce4b31"},
		{"another amount", "T-90104", dearer, "af291d28b738e056"},
		{"the double charge", "T-65273", namedRefund, "b029a4020ded5cae"},
		{"the ladder", "T-90604", ladderLabel, "2ed3b2a93ab0f494"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 { // The same in every attempt.
				same(t, "id", resolver.OperationID(c.ticket, c.action), c.want)
			}
		})
	}
}

// The course's own ids, joined with the actions of its tickets.
func TestOperationID_CourseVectors(t *testing.T) {
	f, err := os.Open("testdata/operation_ids.csv")
	must(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must(t, err)
	same(t, "rows", len(rows), 18)
	for _, r := range rows[1:] {
		t.Run(r[0], func(t *testing.T) {
			a := resolver.Action{Tool: resolver.Tool(r[1]), OrderID: r[2], SKU: r[3], ReasonCode: r[6], PaymentID: r[7], Reason: r[8]}
			if r[4] != "" {
				a.Quantity, err = strconv.Atoi(r[4])
				must(t, err)
			}
			if r[5] != "" {
				a.AmountCents, err = resolver.ParseCents(r[5])
				must(t, err)
			}
			must(t, a.Validate())
			same(t, "id", resolver.OperationID(r[0], a), r[9])
			if task, _ := larkfield.TaskByID(r[0]); !slices.Contains(task.Expected.Actions, a) {
				t.Errorf("%+v is not an action of %s", a, r[0])
			}
		})
	}
}

// Every field of an action is part of what the id names.
func TestOperationID_EveryFieldCounts(t *testing.T) {
	for _, c := range []struct {
		name   string
		action resolver.Action
		change func(*resolver.Action)
	}{
		{"order", feeRefund, func(a *resolver.Action) { a.OrderID = "LK-793997" }},
		{"one cent", feeRefund, func(a *resolver.Action) { a.AmountCents++ }},
		{"reason code", feeRefund, func(a *resolver.Action) { a.ReasonCode = "RFD-DAMAGE" }},
		{"payment named", feeRefund, func(a *resolver.Action) { a.PaymentID = "PAY-793996-1" }},
		{"sku", planter, func(a *resolver.Action) { a.SKU = "PLANTER-2" }},
		{"quantity", planter, func(a *resolver.Action) { a.Quantity = 2 }},
		{"label reason", ladderLabel, func(a *resolver.Action) { a.Reason = "damaged" }},
		{"label sku", ladderLabel, func(a *resolver.Action) { a.SKU = "LADDER-4" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := c.action
			c.change(&other)
			if resolver.OperationID("T-1", c.action) == resolver.OperationID("T-1", other) {
				t.Errorf("%+v and %+v share an id", c.action, other)
			}
		})
	}
}

func TestRecordID(t *testing.T) {
	for _, c := range []struct {
		tool     resolver.Tool
		id, want string
	}{
		{resolver.RequestRefund, "manual-1", "RF-4CFEAE8E"},
		{resolver.RequestRefund, "request-1", "RF-19F1064B"},
		{resolver.RequestRefund, "request-2", "RF-6FC63565"},
		{resolver.CreateReturnLabel, "manual-1", "RL-4CFEAE8E"},
		{resolver.ReshipItem, "manual-1", "RS-4CFEAE8E"},
		{resolver.AddNote, "manual-1", "TN-4CFEAE8E"},
	} {
		t.Run(c.want, func(t *testing.T) { same(t, "record", resolver.RecordID(c.tool, c.id), c.want) })
	}
}
