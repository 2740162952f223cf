package child

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// Env is the environment variable that makes a binary start as a child: it names the task.
const Env = "PAYTWICE_CHILD"

// The file descriptors that a child inherits: what it says, what it is told, and where it
// writes the points that it passes.
const (
	saysFD   = 3
	toldFD   = 4
	passesFD = 5
)

// maxLine bounds one line of a child's report, on its pipe and in its pass log.
const maxLine = 16 << 20

var errTooLong = fmt.Errorf("a line longer than %d bytes", maxLine)

// noMessage is the error of a line that can't be understood.
func noMessage(err error) error { return fmt.Errorf("a line that is no message: %w", err) }

// closesOthers is what is wrong with a program that takes the pipes from its own process.
var closesOthers = fmt.Sprintf("the program closes or replaces descriptors that it did not open, such as %d to %d", saysFD, passesFD)

// Order is what a child is started with.
type Order struct {
	// Task names what to run; Config is the task's own.
	Task   string          `json:"task"`
	Config json.RawMessage `json:"config,omitempty"`
	// Address is where the parent serves the world outside the process.
	Address string      `json:"address,omitempty"`
	Life    faults.Plan `json:"life"`
	Now     time.Time   `json:"now"`
}

// said is one line from the child: an event, or one field of what else there is to say.
type said struct {
	Event *history.Event `json:"event"`
	saying
}

// saying is all that a child says but for events. It stands by itself because a life is short, and to learn how a
// whole Event is written would take a good part of it.
type saying struct {
	// Begins says that the program itself begins.
	Begins bool `json:"begins,omitempty"`
	// Wait asks for the clock to be advanced; the answer is a told.
	Wait time.Duration `json:"wait,omitempty"`
	// Struck says that a planned fault strikes; for a kill it is the last line.
	Struck string `json:"struck,omitempty"`
	// Paused says that the child stops itself at a point; when it is woken, the answer is a told.
	Paused string `json:"paused,omitempty"`
	Ended  *ended `json:"ended,omitempty"`
	// Passed is how many points the child reported in its pass log before it was struck, or ended.
	Passed int `json:"passed,omitempty"`
}

// ended is how a life ended by itself.
type ended struct {
	End   history.End `json:"end"`
	Error string      `json:"error,omitempty"`
}

// told is one line to the child.
type told struct {
	Now time.Time `json:"now"`
}
