package explorer

import (
	"flag"
	"os"
	"slices"
	"strings"
)

// startArgs are the arguments that this process was started with.
var startArgs = slices.Clone(os.Args[1:])

// inherited returns the arguments of a test binary that its children get as well: its own flags, and those of
// the testing package that a program can see, but for -test.v, see childConfig. The others say which tests run, how
// often, and what is measured.
func inherited(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case !strings.HasPrefix(args[i], "-") || !strings.HasPrefix(name, "test.") || name == "test.short":
			out = append(out, args[i])
		case !hasValue && !isSwitch(name):
			i++ // its value
		}
	}
	return out
}

// verbose returns the -test.v of this process.
func verbose() string {
	if f := flag.Lookup("test.v"); f != nil {
		return f.Value.String()
	}
	return "false"
}

func isSwitch(name string) bool {
	f := flag.Lookup(name)
	if f == nil {
		return true
	}
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
