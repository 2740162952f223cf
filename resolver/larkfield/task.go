package larkfield

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
)

// TasksFile is the name of the tickets, beside the tables.
const TasksFile = "tasks.jsonl"

// maxLine bounds a line of a text file.
const maxLine = 1 << 20

// Task is a ticket with what the course knows about it. Everything but the ticket is the answer key: keep
// it away from what is being tested.
type Task struct {
	resolver.Ticket
	Slice              string
	Source             string
	Faults             []Fault
	Expected           Expected
	AcceptableOutcomes []resolver.Outcome
	Forbidden          []Forbidden
	// MustNotSay holds regular expressions that the reply must not match.
	MustNotSay []string
}

// Fault is one way a practice service misbehaves for a ticket, the first Times calls of Tool.
type Fault struct {
	Tool  string `json:"tool"`
	Mode  string `json:"mode"`
	Times int    `json:"times"`
}

// String returns the fault as the command line takes it, TOOL:MODE:TIMES.
func (f Fault) String() string { return fmt.Sprintf("%s:%s:%d", f.Tool, f.Mode, f.Times) }

// Expected is how the ticket should end.
type Expected struct {
	Outcome resolver.Outcome
	Rule    string
	Actions []resolver.Action
	Note    string
}

// Forbidden is a pattern of actions that would be wrong: every field that is set must be equal.
type Forbidden struct {
	Tool        resolver.Tool
	OrderID     string
	AmountCents int64
	Quantity    int
}

// Matches reports whether an action is one of those forbidden.
func (f Forbidden) Matches(a resolver.Action) bool {
	return (f.Tool == "" || f.Tool == a.Tool) &&
		(f.OrderID == "" || f.OrderID == a.OrderID) &&
		(f.AmountCents == 0 || f.AmountCents == a.AmountCents) &&
		(f.Quantity == 0 || f.Quantity == a.Quantity)
}

// LoadTasks reads tasks.jsonl at the root of fsys.
func LoadTasks(fsys fs.FS) ([]Task, error) {
	f, err := fsys.Open(TasksFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", TasksFile, err)
	}
	defer f.Close()
	return ParseTasks(TasksFile, f)
}

// ParseTasks reads tickets, one JSON object a line.
//
// Shape: in the order of the lines; empty lines are skipped.
// Errors: name the file and the line: a line that is not one JSON object of known fields, an id given
// twice, an outcome, action, fault or expression that does not hold.
func ParseTasks(name string, src io.Reader) ([]Task, error) {
	tasks := []Task{}
	seen := map[string]bool{}
	lines := bufio.NewScanner(src)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		task, err := parseTask(lines.Bytes())
		if err == nil && seen[task.ID] {
			err = fmt.Errorf("%s stands there twice", task.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		seen[task.ID] = true
		tasks = append(tasks, task)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	return tasks, nil
}

// taskLine is a line of tasks.jsonl as it is written.
type taskLine struct {
	resolver.Ticket
	Slice    string  `json:"slice"`
	Source   string  `json:"source"`
	Faults   []Fault `json:"faults"`
	Expected struct {
		Outcome resolver.Outcome `json:"outcome"`
		Rule    string           `json:"rule"`
		Actions []actionLine     `json:"actions"`
		Note    string           `json:"note"`
	} `json:"expected"`
	AcceptableOutcomes []resolver.Outcome `json:"acceptable_outcomes"`
	Forbidden          []actionLine       `json:"forbidden"`
	MustNotSay         []string           `json:"must_not_say"`
}

// actionLine is an action as the answer key writes it: amounts are JSON numbers, taken by their text.
type actionLine struct {
	Tool       resolver.Tool `json:"tool"`
	OrderID    string        `json:"order_id"`
	SKU        string        `json:"sku"`
	Quantity   int           `json:"quantity"`
	Amount     json.Number   `json:"amount"`
	ReasonCode string        `json:"reason_code"`
	PaymentID  *string       `json:"payment_id"`
	Reason     string        `json:"reason"`
}

func (a actionLine) action() (resolver.Action, error) {
	action := resolver.Action{
		Tool: a.Tool, OrderID: a.OrderID, SKU: a.SKU, Quantity: a.Quantity, ReasonCode: a.ReasonCode, Reason: a.Reason,
	}
	if a.PaymentID != nil {
		action.PaymentID = *a.PaymentID
	}
	var err error
	if a.Amount != "" {
		action.AmountCents, err = resolver.ParseCents(a.Amount.String())
	}
	return action, err
}

var (
	outcomes   = []resolver.Outcome{resolver.Resolve, resolver.ReplyOnly, resolver.AskCustomer, resolver.HandToPerson}
	faultModes = []string{"timeout", "unavailable", "denied", "timeout_before_write", "timeout_after_write"}
)

func parseTask(data []byte) (Task, error) {
	var line taskLine
	if !utf8.Valid(data) {
		return Task{}, errors.New("the line is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&line); err != nil {
		return Task{}, fmt.Errorf("not a ticket: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Task{}, errors.New("something follows the ticket")
	}
	task := Task{
		Ticket: line.Ticket, Slice: line.Slice, Source: line.Source, Faults: line.Faults,
		AcceptableOutcomes: line.AcceptableOutcomes, MustNotSay: line.MustNotSay,
		Expected: Expected{Outcome: line.Expected.Outcome, Rule: line.Expected.Rule, Note: line.Expected.Note},
	}
	if task.Attachments == nil {
		task.Attachments = []string{}
	}
	if !resolver.IsName(task.ID) || !resolver.IsName(task.CustomerID) {
		return Task{}, fmt.Errorf("task_id %q or customer_id %q is not an id", task.ID, task.CustomerID)
	}
	if err := task.addActions(line); err != nil {
		return Task{}, err
	}
	return task, task.check()
}

func (t *Task) addActions(line taskLine) error {
	for i, a := range line.Expected.Actions {
		action, err := a.action()
		if err == nil {
			err = action.Validate()
		}
		if err != nil {
			return fmt.Errorf("expected action %d: %w", i+1, err)
		}
		t.Expected.Actions = append(t.Expected.Actions, action)
	}
	for i, a := range line.Forbidden {
		action, err := a.action()
		if err != nil {
			return fmt.Errorf("forbidden %d: %w", i+1, err)
		}
		pattern := Forbidden{Tool: action.Tool, OrderID: action.OrderID, AmountCents: action.AmountCents, Quantity: action.Quantity}
		if pattern == (Forbidden{}) {
			return fmt.Errorf("forbidden %d: it names nothing to compare", i+1)
		}
		t.Forbidden = append(t.Forbidden, pattern)
	}
	return nil
}

func (t *Task) check() error {
	if !slices.Contains(outcomes, t.Expected.Outcome) {
		return fmt.Errorf("expected outcome %q is not one of %v", t.Expected.Outcome, outcomes)
	}
	for _, o := range t.AcceptableOutcomes {
		if !slices.Contains(outcomes, o) {
			return fmt.Errorf("acceptable outcome %q is not one of %v", o, outcomes)
		}
	}
	for _, f := range t.Faults {
		if !resolver.IsName(f.Tool) || !slices.Contains(faultModes, f.Mode) || f.Times < 1 {
			return fmt.Errorf("fault %s is not TOOL:MODE:TIMES with a mode of %v", f, faultModes)
		}
	}
	for _, expression := range t.MustNotSay {
		if _, err := regexp.Compile(expression); err != nil {
			return fmt.Errorf("must_not_say: %w", err)
		}
	}
	return nil
}
