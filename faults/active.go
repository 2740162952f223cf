//go:build !paytwice_off

package faults

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// Off reports whether the program was built with the tag paytwice_off: its points are empty and its
// wrappers are what they wrap.
const Off = false

// PointSeam is the seam of a program's own points.
const PointSeam = "point"

// active is all that a point reads while nothing is armed. It stays set once a context has carried an
// injector: contexts have no end that could be seen.
var active atomic.Bool

var process struct {
	sync.Mutex
	injector atomic.Pointer[Injector]
	contexts bool
}

type contextKey struct{}

// Arm makes an injector that of the whole process: its points and its wrappers without an injector of
// their own ask this one. A child process has one life, so it has one injector; tests that run beside
// each other use WithInjector instead.
//
// It panics on nil, and while another one is armed. Concurrency: safe.
func Arm(in *Injector) {
	if in == nil {
		panic("faults: Arm of no injector; Disarm ends the armed one")
	}
	process.Lock()
	defer process.Unlock()
	if process.injector.Load() != nil {
		panic("faults: an injector is armed already; tests beside each other use WithInjector")
	}
	process.injector.Store(in)
	active.Store(true)
}

// Disarm ends what Arm began. Without an armed injector it does nothing.
func Disarm() {
	process.Lock()
	defer process.Unlock()
	process.injector.Store(nil)
	active.Store(process.contexts)
}

// WithInjector returns a context whose points and wrapped calls ask this injector, whatever the process
// has armed. It costs every other point of the process a look into its context from then on: it is for
// tests.
func WithInjector(ctx context.Context, in *Injector) context.Context {
	process.Lock()
	process.contexts = true
	active.Store(true)
	process.Unlock()
	return context.WithValue(ctx, contextKey{}, in)
}

// Armed returns the injector in force: the context's, else the process's, nil when there is none.
func Armed(ctx context.Context) *Injector {
	if !active.Load() {
		return nil
	}
	return inForce(ctx)
}

func inForce(ctx context.Context) *Injector {
	if in, ok := ctx.Value(contextKey{}).(*Injector); ok {
		return in
	}
	return process.injector.Load()
}

// Here is a point of the program's own, point.NAME/before#n: what stands after it is what a kill there
// prevents. A name is one that ParseSite takes as an operation; it panics on another, once armed.
//
// It has the single position before, and a kill and a pause are all that can strike there. After a
// simulated crash it does nothing. With nothing armed it is inlined and allocates nothing.
func Here(ctx context.Context, name string) {
	if active.Load() {
		here(ctx, name)
	}
}

func here(ctx context.Context, name string) {
	in := inForce(ctx)
	if in == nil {
		return
	}
	if !isOperation(name) {
		panic(fmt.Sprintf("faults: Here(%q): a name is lower-case letters, digits, - and _", name))
	}
	if call, err := in.Enter(Site{PointSeam, name}); err == nil {
		call.At(Before)
	}
}
