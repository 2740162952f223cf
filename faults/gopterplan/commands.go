package gopterplan

import (
	"fmt"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/lives"
)

// System is a system under test that can be killed: Start begins a life of it, whose seams ask the injector.
// Its recovery is part of it, and may crash too. It keeps what lasts and forgets what a process forgets.
type System interface {
	Start(in *faults.Injector) error
}

// Commands returns commands that run under crashes. The inner ones' systems under test are Systems. A
// command is run again after a crash, until it ends, so the state that its NextState expects is that of a
// command that ran once; its crashes shrink away before anything else of it does.
//
// The numbers drawn with a command say after how many points lives end, 0 for not at all: the first counts from
// the start of the command, each further one from the start of the life after a crash. MaxEvents bounds them, the other options mean nothing here.
func Commands(inner commands.Commands, opts Options) commands.Commands {
	return crashing{inner, opts}
}

// maxPoints is the largest number of points, counted as above, after which a life ends.
const maxPoints = 8

type crashing struct {
	commands.Commands
	opts Options
}

// underTest is a System over its lives.
type underTest struct {
	system System
	lives  *lives.Lives
	fuses  []int
	// failure is that of the first start, in which no crash strikes.
	failure error
}

func (c crashing) NewSystemUnderTest(state commands.State) commands.SystemUnderTest {
	system, ok := c.Commands.NewSystemUnderTest(state).(System)
	if !ok {
		panic("gopterplan: a system under test must be a System, which can be started again")
	}
	u := &underTest{system: system}
	u.lives = lives.New(system.Start, u.fuse, faults.Options{})
	u.failure = u.lives.Run(func() error { return nil })
	return u
}

func (c crashing) DestroySystemUnderTest(sut commands.SystemUnderTest) {
	c.Commands.DestroySystemUnderTest(sut.(*underTest).system)
}

func (c crashing) GenCommand(state commands.State) gopter.Gen {
	inner := c.Commands.GenCommand(state)
	fuses := indices(maxPoints+1, c.opts)
	return func(params *gopter.GenParameters) *gopter.GenResult {
		result := inner(params)
		value, ok := result.Retrieve()
		if !ok {
			return result
		}
		drawn, _ := fuses(params).Retrieve()
		return gopter.NewGenResult(&command{value.(commands.Command), drawn.([]int)}, shrinkCommand(result.Shrinker))
	}
}

func shrinkCommand(inner gopter.Shrinker) gopter.Shrinker {
	return func(v interface{}) gopter.Shrink {
		c := v.(*command)
		fewer := shrinkIndices(c.fuses).Map(func(fuses []int) commands.Command { return &command{c.Command, fuses} })
		smaller := inner(c.Command).Map(func(smaller commands.Command) commands.Command { return &command{smaller, c.fuses} })
		return gopter.ConcatShrinks(fewer, smaller)
	}
}

// command is an inner one with its crashes.
type command struct {
	commands.Command
	fuses []int
}

func (u *underTest) fuse() int {
	if len(u.fuses) == 0 {
		return 0
	}
	n := u.fuses[0]
	u.fuses = u.fuses[1:]
	return n
}

// failed is the result of a command whose system could not be started.
type failed struct{ err error }

func (c *command) Run(sut commands.SystemUnderTest) (result commands.Result) {
	u := sut.(*underTest)
	if u.failure != nil {
		return failed{u.failure}
	}
	u.fuses = c.fuses
	err := u.lives.Run(func() error {
		result = c.Command.Run(u.system)
		return nil
	})
	u.fuses = nil
	if err != nil {
		return failed{err}
	}
	return result
}

func (c *command) PostCondition(state commands.State, result commands.Result) *gopter.PropResult {
	if f, ok := result.(failed); ok {
		return &gopter.PropResult{Status: gopter.PropError, Error: f.err}
	}
	return c.Command.PostCondition(state, result)
}

func (c *command) String() string {
	if len(c.fuses) == 0 {
		return c.Command.String()
	}
	return fmt.Sprintf("%s killed after points %v", c.Command, c.fuses)
}
