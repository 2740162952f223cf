//go:build paytwice_off

package faults

import "context"

// Off reports whether the program was built with the tag paytwice_off: its points are empty and its
// wrappers are what they wrap.
const Off = true

// PointSeam is the seam of a program's own points.
const PointSeam = "point"

// Arm panics: a plan that strikes nowhere must not look like one that was survived.
func Arm(*Injector) { panic("faults: Arm in a program built with the tag paytwice_off") }

// Disarm does nothing.
func Disarm() {}

// WithInjector panics, as Arm does.
func WithInjector(context.Context, *Injector) context.Context {
	panic("faults: WithInjector in a program built with the tag paytwice_off")
}

// Armed returns nil.
func Armed(context.Context) *Injector { return nil }

// Here is empty.
func Here(context.Context, string) {}
