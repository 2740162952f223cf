package scenarios

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/faults"
)

// module is what the paths of this module's packages begin with.
const module = "github.com/paytwice/paytwice/"

var (
	// harness are the packages that a life in memory runs in beside those of the program.
	harness = []string{"explorer/check", "explorer/history", "faults", "faults/provider", "resolver/services", "scenarios", "scenarios/seams"}
	// outside are those of the world outside, and functions like them of another package: they never call the
	// program, so whatever panics below them is not the program's.
	outside      = []string{"faults/provider", "resolver/services"}
	outsideCalls = []string{module + "scenarios.answer", module + "scenarios.(*simLife).arrive"}
)

// catch runs a life to its own end, to a crash or until it is endless. A panic of the program is an error of its
// life, as it is of a process; one of the harness goes on. After a crash nothing counts: a process would be gone.
func (l *simLife) catch(in *faults.Injector, live func() error) (at faults.Point, crashed bool, err error) {
	defer func() {
		switch r := recover(); {
		case r == nil:
		case in.Dead():
			at, crashed, err = *in.Life().Kill(), true, nil
		case l.isEndless(): // Of all its processes: one that stands still meets it at its next call.
		case raisedByHarness():
			panic(r)
		default:
			err = &diedError{r}
		}
	}()
	return faults.Catch(live)
}

// diedError is the error that a life ends with whose program panicked.
type diedError struct{ value any }

// Error returns what a process says first that ends in this panic: the two modes agree in it.
func (e *diedError) Error() string {
	text := ""
	switch v := e.value.(type) {
	case error:
		text = v.Error()
	case fmt.Stringer:
		text = v.String()
	default:
		text = printed(v)
	}
	first, _, _ := strings.Cut(text, "\n")
	return "panic: " + first
}

// printed returns a value as the runtime prints it, but for the address of what it can't print.
func printed(v any) string {
	of := reflect.TypeOf(v)
	switch {
	case of.Kind() > reflect.Complex128 && of.Kind() != reflect.String:
		return "(" + of.String() + ")"
	case of.PkgPath() == "":
		return fmt.Sprint(v)
	case of.Kind() == reflect.String:
		return fmt.Sprintf("%s(%q)", of, v)
	default:
		return fmt.Sprintf("%s(%v)", of, v)
	}
}

// raisedByHarness reports, of the panic that is being recovered, whether it is the harness's: no verdict about the
// program may come of that. Where one was raised while another unwound the life, either is enough.
func raisedByHarness() bool {
	pcs := make([]uintptr, 4<<10)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	raised, began := false, false
	for {
		f, more := frames.Next()
		switch pkg := packageOf(f.Function); {
		case f.Function == "runtime.gopanic":
			raised, began = true, true // The next one that is no library's raised it.
		case f.Function == module+"scenarios.(*simLife).catch" || !more:
			return false
		case !began || isLibrary(pkg) || handsOn(f.Function):
		case isOutside(f.Function), raised && slices.Contains(harness, strings.TrimPrefix(pkg, module)):
			return true
		default:
			raised = false
		}
	}
}

// handsOn: these raise again what another raised.
func handsOn(function string) bool {
	return strings.HasPrefix(function, module+"faults.Catch.") || strings.HasPrefix(function, module+"scenarios.(*simLife).catch.")
}

func isOutside(function string) bool {
	return slices.Contains(outsideCalls, function) || slices.Contains(outside, strings.TrimPrefix(packageOf(function), module))
}

// isLibrary reports whether a package is of the standard library: what it panics with is its caller's.
func isLibrary(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return pkg != "main" && !strings.Contains(first, ".")
}

// packageOf returns the path of the package that a function is of.
func packageOf(function string) string {
	path, _, _ := strings.Cut(function, "[") // A type argument has slashes and dots of its own.
	slash := strings.LastIndexByte(path, '/') + 1
	name, _, _ := strings.Cut(path[slash:], ".")
	return path[:slash] + name
}
