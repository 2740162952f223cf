package catalog

import (
	"strings"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/planted"
)

// small are the operations of the small programs' seams, in all forms of a program; true where the other side is
// another process.
var small = map[string]map[faults.Site]bool{
	"batch": {
		{Seam: "progress", Operation: "load"}: false,
		{Seam: "progress", Operation: "save"}: false,
		{Seam: "log", Operation: "read"}:      false,
		{Seam: "log", Operation: "charge"}:    false,
	},
	"graph-node": {
		{Seam: "checkpoint", Operation: "load"}:        false,
		{Seam: "checkpoint", Operation: "save"}:        false,
		{Seam: "node", Operation: "run"}:               false,
		{Seam: "node", Operation: "pause"}:             false,
		{Seam: "payment", Operation: "request_refund"}: true,
	},
	"transfer": {
		{Seam: "alert", Operation: "raise"}:     true,
		{Seam: "bank", Operation: "accounts"}:   true,
		{Seam: "bank", Operation: "operation"}:  true,
		{Seam: "bank", Operation: "read_back"}:  true,
		{Seam: "bank", Operation: "reverse"}:    true,
		{Seam: "bank", Operation: "transfer"}:   true,
		{Seam: "checkpoint", Operation: "load"}: false,
		{Seam: "checkpoint", Operation: "save"}: false,
		{Seam: "lease", Operation: "acquire"}:   false,
		{Seam: "lease", Operation: "release"}:   false,
	},
}

// sitesOf returns the operations of a scenario's seams. A planted bug has those of what it is planted in.
func sitesOf(s scenarios.Scenario) map[faults.Site]bool {
	name := s.Name
	switch {
	case s.Sites != nil:
		return s.Sites
	case strings.HasPrefix(name, planted.Prefix):
		name = s.Mended
	}
	if name == scenarios.Refund {
		return scenarios.RefundScenario().Sites
	}
	family, _, _ := strings.Cut(name, "/")
	return small[family]
}
