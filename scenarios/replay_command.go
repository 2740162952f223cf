package scenarios

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/faults"
)

// ReplayCommand returns the whole command that runs one plan of a setting again. What is the default
// there is left out.
func ReplayCommand(s Setting, mode string, plan faults.Plan) string {
	parts := []string{"paytwice replay"}
	if s.Scenario != "" && s.Scenario != Refund {
		s = Setting{Scenario: s.Scenario} // The rest of it is the scenario's own, and no flag's.
	}
	def := Setting{Scenario: s.Scenario}.WithDefaults()
	add := func(flag, value, standard string) {
		if value != "" && value != standard {
			parts = append(parts, "--"+flag+" "+value)
		}
	}
	add("scenario", s.Scenario, Refund)
	add("ticket", s.Ticket, def.Ticket)
	add("strategy", s.Strategy, def.Strategy)
	add("provider", s.Provider, def.Provider)
	add("variant", s.Variant, def.Variant)
	add("model", s.Model, def.Model)
	if s.Repeat > 0 && s.Repeat != def.Repeat {
		parts = append(parts, fmt.Sprintf("--repeat %d", s.Repeat))
	}
	if s.TicketFaults {
		parts = append(parts, "--ticket-faults")
	}
	add("mode", mode, "simulate")
	return strings.Join(parts, " ") + fmt.Sprintf(" '%s'", plan)
}
