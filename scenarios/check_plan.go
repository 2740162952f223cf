package scenarios

import (
	"fmt"
	"slices"

	"github.com/paytwice/paytwice/faults"
)

// CheckPlan reports the first event of a plan whose point can't exist in the scenario, whatever the run
// does. A scenario that does not list its sites takes every point, and finds out by running.
func (s Scenario) CheckPlan(plan faults.Plan) error {
	if s.Sites == nil {
		return nil
	}
	for _, life := range plan {
		for _, e := range life {
			if !e.Verb.AtPoint() {
				continue
			}
			remote, ok := s.Sites[e.Point.Site]
			if !ok {
				return s.noSite(e.Point.Site)
			}
			if !remote && (e.Point.Position == faults.During || e.Point.Position == faults.DuringLost) {
				return fmt.Errorf("%s can't exist: %s is the process's own, so a call is done or not", e.Point, e.Point.Site)
			}
		}
	}
	return nil
}

// noSite says what there is instead of a site: the operation that was perhaps meant, or those of its seam, or the
// seams.
func (s Scenario) noSite(site faults.Site) error {
	var operations, siblings, all []string
	for known := range s.Sites {
		operations = append(operations, known.String())
		all = append(all, known.Seam)
		if known.Seam == site.Seam {
			siblings = append(siblings, known.String())
		}
	}
	switch {
	case faults.Nearest(site.String(), operations) != "":
		return unknown("operation", site.String(), sorted(operations))
	case len(siblings) > 0:
		return unknown("operation", site.String(), sorted(siblings))
	default:
		return unknown("seam", site.Seam, slices.Compact(sorted(all)))
	}
}

// refundSites are the operations of the resolver's seams; true where the other side is another process.
var refundSites = map[faults.Site]bool{
	{Seam: "model", Operation: "complete"}:                true,
	{Seam: "orders", Operation: "get_order"}:              true,
	{Seam: "orders", Operation: "get_customer_orders"}:    true,
	{Seam: "payment", Operation: "get_payments"}:          true,
	{Seam: "payment", Operation: "get_refunds"}:           true,
	{Seam: "payment", Operation: "request_refund"}:        true,
	{Seam: "payment", Operation: "operation"}:             true,
	{Seam: "payment", Operation: "recent_changes"}:        true,
	{Seam: "payment", Operation: "read_back"}:             true,
	{Seam: "warehouse", Operation: "reship_item"}:         true,
	{Seam: "warehouse", Operation: "create_return_label"}: true,
	{Seam: "warehouse", Operation: "operation"}:           true,
	{Seam: "warehouse", Operation: "recent_changes"}:      true,
	{Seam: "warehouse", Operation: "read_back"}:           true,
	{Seam: "tickets", Operation: "add_note"}:              true,
	{Seam: "policy", Operation: "search_policy"}:          true,
	{Seam: "checkpoint", Operation: "create"}:             false,
	{Seam: "checkpoint", Operation: "load"}:               false,
	{Seam: "checkpoint", Operation: "save"}:               false,
	{Seam: "checkpoint", Operation: "list"}:               false,
	{Seam: "checkpoint", Operation: "trail"}:              false,
	{Seam: "lease", Operation: "acquire"}:                 false,
	{Seam: "lease", Operation: "renew"}:                   false,
	{Seam: "lease", Operation: "release"}:                 false,
	{Seam: "agent", Operation: "step"}:                    false,
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}
