package services

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// Mode says how a practice service misbehaves.
type Mode string

// The modes of a fault. On a write, timeout and timeout_before_write are the same.
const (
	Timeout            Mode = "timeout"
	Unavailable        Mode = "unavailable"
	Denied             Mode = "denied"
	TimeoutBeforeWrite Mode = "timeout_before_write"
	TimeoutAfterWrite  Mode = "timeout_after_write"
)

// MaxFaultTimes bounds how often one fault strikes.
const MaxFaultTimes = 999

var (
	readTools  = []string{"get_order", "get_customer_orders", "get_payments", "search_policy"}
	writeTools = []string{"request_refund", "create_return_label", "reship_item", "add_note"}
	readModes  = []Mode{Timeout, Unavailable}
	writeModes = []Mode{Timeout, Unavailable, Denied, TimeoutBeforeWrite, TimeoutAfterWrite}
)

// Fault is a practice service's misbehaviour: it strikes the first Times uses of Tool. All but the last
// strike before anything happens; the last as Mode says.
type Fault struct {
	Tool  string `json:"tool"`
	Mode  Mode   `json:"mode"`
	Times int    `json:"times"`
}

// TicketFaults returns the faults that a ticket of the data carries.
func TicketFaults(faults []larkfield.Fault) []Fault {
	out := make([]Fault, len(faults))
	for i, f := range faults {
		out[i] = Fault{Tool: f.Tool, Mode: Mode(f.Mode), Times: f.Times}
	}
	return out
}

// ParseFault reads the text form of a fault.
//
// Grammar: TOOL ":" MODE [":" TIMES], TIMES from 1 to MaxFaultTimes and 1 if absent.
// Errors: what is wrong, with the nearest name where one is meant.
func ParseFault(text string) (Fault, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return Fault{}, fmt.Errorf("fault %q is not TOOL:MODE or TOOL:MODE:TIMES, for example request_refund:timeout_after_write", text)
	}
	f := Fault{Tool: parts[0], Mode: Mode(parts[1]), Times: 1}
	if len(parts) == 3 {
		n, err := strconv.Atoi(parts[2])
		if err != nil || strconv.Itoa(n) != parts[2] {
			return Fault{}, fmt.Errorf("fault %q: TIMES %q is not a number from 1 to %d", text, parts[2], MaxFaultTimes)
		}
		f.Times = n
	}
	return f, f.Validate()
}

// Validate reports the first thing that makes f no fault.
func (f Fault) Validate() error {
	read, write := slices.Contains(readTools, f.Tool), slices.Contains(writeTools, f.Tool)
	if !read && !write {
		return fmt.Errorf("fault %q: unknown tool %q%s", f, f.Tool, didYouMean(f.Tool, append(slices.Clone(readTools), writeTools...)))
	}
	if !slices.Contains(writeModes, f.Mode) {
		return fmt.Errorf("fault %q: unknown mode %q%s", f, f.Mode, didYouMean(string(f.Mode), modeNames(writeModes)))
	}
	if read && !slices.Contains(readModes, f.Mode) {
		return fmt.Errorf("fault %q: %s is a read; its modes are %s", f, f.Tool, strings.Join(modeNames(readModes), " and "))
	}
	if f.Times < 1 || f.Times > MaxFaultTimes {
		return fmt.Errorf("fault %q: TIMES %d is not a number from 1 to %d", f, f.Times, MaxFaultTimes)
	}
	return nil
}

// String returns the text that ParseFault reads; TIMES is left out when it is 1.
func (f Fault) String() string {
	if f.Times == 1 {
		return f.Name()
	}
	return f.Name() + ":" + strconv.Itoa(f.Times)
}

// Name returns TOOL:MODE, by which uses are counted.
func (f Fault) Name() string { return f.Tool + ":" + string(f.Mode) }

// trouble is what the fault does to its n-th use, counted from 1.
func (f Fault) trouble(n int) provider.Trouble {
	switch {
	case f.Mode == Unavailable:
		return provider.UnavailableBefore
	case f.Mode == Denied:
		return provider.Refuse
	case f.Mode == TimeoutAfterWrite && n == f.Times:
		return provider.LoseAfter
	}
	return provider.LoseBefore
}

func modeNames(modes []Mode) []string {
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = string(m)
	}
	return names
}
