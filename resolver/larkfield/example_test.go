package larkfield_test

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

func ExampleTaskByID() {
	task, _ := larkfield.TaskByID("T-90104")
	fmt.Println(task.CustomerID, task.Expected.Outcome, task.Expected.Rule)
	for _, a := range task.Expected.Actions {
		fmt.Println(a.Text())
	}
	// Output:
	// C-61975 resolve W2
	// request_refund       LK-793996  9.95 CAD  RFD-LATE
}

func ExampleParsePolicy() {
	passages, err := larkfield.ParsePolicy("policy.md", strings.NewReader("## W8 · A refund on its way\nTell the customer the dates.\n"))
	fmt.Println(passages[0].ID, "|", passages[0].Title, "|", passages[0].Text, err)
	_, err = larkfield.ParsePolicy("policy.md", strings.NewReader("## W8\n"))
	fmt.Println(err)
	// Output:
	// W8 | A refund on its way | Tell the customer the dates. <nil>
	// policy.md:1: a section begins with "## ID · Title", not "## W8"
}
