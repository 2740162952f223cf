package page_test

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/page"
)

func ExampleWrite() {
	m := history.Matrix{Scenario: "refund", Mode: "kill", Cells: []history.Cell{
		{Strategy: "naive-retry", Provider: "larkfield", Point: "after-write", Landed: true, Effects: 2, Verdict: history.Violated, Violations: []string{"double-write"}}}}
	m.Sum()
	var html strings.Builder
	if err := page.Write(&html, m); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.HasPrefix(html.String(), "<!DOCTYPE html>"), strings.Contains(html.String(), "double-write"))
	// Output: true true
}

func ExampleRead() {
	_, err := page.Read(strings.NewReader(`{"schema": "paytwice.audit/1", "total": "many"}`))
	fmt.Println(err)
	// Output: this is no report that can be read: "total" at byte 46 is a string where another kind of value belongs
}
