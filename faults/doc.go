// Package faults names the moments at which a program can be killed, writes plans of what is injected
// at them, and injects it.
//
// # Points
//
// [Here] marks a moment of the program's own. With nothing armed it costs about a nanosecond and allocates
// nothing; built with the tag paytwice_off it is empty:
//
//	charge(ctx, order)
//	faults.Here(ctx, "charged") // point.charged/before#1
//	record(ctx, order)
//
// Points around calls come from wrapping them: sqlfault for database/sql, httpfault for net/http, filefault for
// files. A [Point] is a position around one call on a seam, such as sql.commit/after#1, the first commit's.
//
// # Plans
//
// A [Plan] says what is injected in each life of a process, and prints and parses as one line of text:
// kill sql.commit/after#1; kill http.post/before#1 kills the recovery, too. [Survey] returns the points over which
// plans can be made: those of an undisturbed life.
//
// # Injecting
//
// An [Injector] is armed with one life of a plan. [Arm] makes it that of the process, for a child that has one
// life to live; [WithInjector] lets a context carry it, for tests beside each other. Its crash is a real SIGKILL
// in a child process ([KillSelf]) and unwinds the life in a simulation, where [Injector.Catch] returns where:
//
//	in := faults.NewInjector(plan.Life(0), faults.Options{})
//	at, crashed, err := in.Catch(func() error { return program(faults.WithInjector(ctx, in)) })
//
// Starting the program again and judging what it did is the work of package explorer, whose Test does all of this
// with real kills. Packages rapidplan and gopterplan draw plans, so that a property combines inputs with crashes.
//
// It imports the standard library only, so that anyone can afford it.
package faults
