package scenarios

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/strategy"
)

// Setting is one combination to run. The zero value of a field means its default.
type Setting struct {
	Scenario string `json:"scenario"`
	Ticket   string `json:"ticket,omitempty"`
	Strategy string `json:"strategy,omitempty"`
	Provider string `json:"provider,omitempty"`
	Variant  string `json:"variant,omitempty"`
	Model    string `json:"model,omitempty"`
	Repeat   int    `json:"repeat,omitempty"`
	// TicketFaults: the practice faults that the ticket carries strike, too.
	TicketFaults bool `json:"ticket_faults,omitempty"`
}

// The defaults of a setting.
const (
	DefaultTicket   = "T-90104"
	DefaultStrategy = "operation-id"
	DefaultProvider = "larkfield"
	DefaultVariant  = "agent_structured"
	DefaultModel    = "chat-strong"
)

// WithDefaults returns the setting with every empty field filled.
func (s Setting) WithDefaults() Setting {
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&s.Scenario, Refund)
	fill(&s.Strategy, DefaultStrategy)
	fill(&s.Provider, DefaultProvider)
	if s.Scenario == Refund {
		fill(&s.Ticket, DefaultTicket)
		fill(&s.Variant, DefaultVariant)
		fill(&s.Model, DefaultModel)
		if s.Repeat == 0 {
			s.Repeat = 1
		}
	}
	return s
}

// Recording names what of the recorded decisions is not the default, empty if all is: runs of different
// recordings are different runs.
func (s Setting) Recording() string {
	def := Setting{Scenario: s.Scenario}.WithDefaults()
	s = s.WithDefaults()
	text := ""
	if s.Variant != def.Variant || s.Model != def.Model || s.Repeat != def.Repeat {
		text = fmt.Sprintf("%s %s %d", s.Variant, s.Model, s.Repeat)
	}
	if s.TicketFaults {
		text = strings.TrimSpace(text + " with the ticket's faults")
	}
	return text
}

// UnknownError is returned when a name means nothing; Nearest is a name that was perhaps meant.
type UnknownError struct {
	Kind    string
	Name    string
	Nearest string
	Known   []string
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("unknown %s %q", e.Kind, e.Name)
	switch {
	case e.Nearest != "":
		return text + fmt.Sprintf(" (did you mean %s?)", e.Nearest)
	case len(e.Known) > 0 && len(e.Known) <= 20:
		return text + ", not one of " + strings.Join(e.Known, ", ")
	}
	return text
}

func unknown(kind, name string, known []string) error {
	return &UnknownError{kind, name, faults.Nearest(name, known), known}
}

// CheckStrategy returns the strategy of a name.
func CheckStrategy(name string) (resolver.Strategy, error) {
	s, ok := strategy.ByName(name)
	if !ok {
		return s, unknown("strategy", name, strategy.Names())
	}
	return s, nil
}

// CheckProvider returns the provider profile of a name.
func CheckProvider(name string) (provider.Profile, error) {
	p, ok := provider.ByName(name)
	if !ok {
		return p, unknown("profile", name, ProviderNames())
	}
	return p, nil
}

// ProviderNames returns the names of the provider profiles, in the order of every table.
func ProviderNames() []string {
	var names []string
	for _, p := range provider.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// CheckTicket returns the ticket of an id.
func CheckTicket(id string) (larkfield.Task, error) {
	task, ok := larkfield.TaskByID(id)
	if !ok {
		var ids []string
		for _, t := range larkfield.Tasks() {
			ids = append(ids, t.ID)
		}
		return task, unknown("ticket", id, ids)
	}
	return task, nil
}
