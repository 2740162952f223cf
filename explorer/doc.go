// Package explorer searches the plans of crashes and other faults of a program for one that breaks an
// invariant.
//
// A [World] runs one incarnation of the program from a durable state; [Explore] enumerates and merges the
// states that crashes leave and finds the smallest counterexample; [Replay] runs one plan from its start.
// The search knows nothing of what it runs: in memory, in a child process, or a program under a tracer.
//
// It imports faults and its own sub-packages, neither scenarios nor resolver.
package explorer
