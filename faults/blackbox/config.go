package blackbox

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Sides says on which sides of each call a sweep kills.
type Sides int

// The sides; the zero value is both.
const (
	BothSides Sides = iota
	BeforeOnly
	AfterOnly
)

// Config says which program to crash, how, and how to judge its end. Only Command is needed; zero fields
// mean the defaults.
type Config struct {
	// Command is the program and its arguments, run in a copy of the template.
	Command []string
	// Recover is what to start after a kill or a power cut. Default: Command.
	Recover []string
	// Template is the folder that each case gets a copy of. Default: an empty one.
	Template string
	// Env is the whole environment of the program. Default: this process's.
	Env []string
	// WorkDir is where the copies go; whatever is made there is removed again. Default: a file system in
	// memory if there is one, else the system's temporary folder.
	WorkDir string

	// ExactlyOnce names a file below the folder each line of which is an effect.
	ExactlyOnce string
	// Acked matches lines on standard output that promise an effect: the pattern's first group, or the
	// whole line.
	Acked *regexp.Regexp
	// Check is a command that is run in the folder at the end: status 0 is fine, 1 a violation. The file
	// named by PAYTWICE_ACKED holds the acknowledged effects, a line each. A violation is a
	// state-mismatch, unless the first word of the command's output names another invariant.
	Check []string
	// Provider is a service that the program calls, whose ledger is judged like ExactlyOnce.
	Provider Provider

	// Crashes is how many kills a case may have: the second strikes in the recovery. Default 1.
	Crashes int
	Sides   Sides
	// MaxKills bounds the kills of one run, of the program or of a recovery; they are spread evenly over
	// its points, and the report says how many are left out. Default: all.
	MaxKills int
	// PowerLoss asks for the folders that a power cut could have left.
	PowerLoss bool
	Power     PowerLimits
	// MaxRestarts bounds how often a recovery that fails is started again. Default 5.
	MaxRestarts int
	// MaxStates bounds the different states that are recovered. Default 20,000.
	MaxStates int
	// Ignore holds patterns of files that don't count.
	Ignore []string

	// Workers is how many cases run at a time. Default: the number of processors.
	Workers  int
	Limits   Limits
	Progress func(Progress)
	// Now is the clock of the progress's estimate; without it there is none.
	Now func() time.Time
}

func (c Config) recover() []string {
	if len(c.Recover) > 0 {
		return c.Recover
	}
	return c.Command
}

// check refuses what makes no sense.
func (c Config) check() error {
	switch {
	case len(c.Command) == 0 || c.Command[0] == "":
		return fmt.Errorf("%w: there is no program", ErrConfig)
	case c.Crashes < 0 || c.Crashes > 8:
		return fmt.Errorf("%w: crashes must be 1 to 8, not %d", ErrConfig, c.Crashes)
	case c.MaxKills < 0:
		return fmt.Errorf("%w: %d kills at most make no sense", ErrConfig, c.MaxKills)
	case c.Sides < BothSides || c.Sides > AfterOnly:
		return fmt.Errorf("%w: unknown sides %d", ErrConfig, c.Sides)
	case c.ExactlyOnce != "" && !filepath.IsLocal(c.ExactlyOnce):
		return fmt.Errorf("%w: the file of effects must lie below the folder, not at %s", ErrConfig, c.ExactlyOnce)
	}
	if c.Acked != nil && c.ExactlyOnce == "" && len(c.Check) == 0 && c.Provider == nil {
		return fmt.Errorf("%w: acknowledged effects need a file of effects, a check or a provider to be found in", ErrConfig)
	}
	if err := globs(c.Ignore).check(); err != nil {
		return fmt.Errorf("%w: a pattern to ignore: %w", ErrConfig, err)
	}
	if file := filepath.Clean(c.ExactlyOnce); c.ExactlyOnce != "" && globs(c.Ignore).match(file) {
		return fmt.Errorf("%w: %s can't be both the file of effects and ignored", ErrConfig, file)
	}
	return nil
}

func (c Config) withDefaults(processors int) Config {
	c.Limits = c.Limits.withDefaults()
	c.Power = c.Power.withDefaults()
	setDefault(&c.Crashes, 1)
	setDefault(&c.MaxRestarts, 5)
	setDefault(&c.MaxStates, 20_000)
	setDefault(&c.Workers, processors)
	return c
}

// env returns the environment of a case that runs in a folder.
func (c Config) env(root string, more ...string) []string {
	base := c.Env
	if base == nil {
		base = os.Environ()
	}
	var out []string
	for _, v := range base {
		if !strings.HasPrefix(v, "PWD=") && !strings.HasPrefix(v, "OLDPWD=") {
			out = append(out, v)
		}
	}
	return append(append(out, "PWD="+root), more...)
}
