// Package scenarios says what there is to run: programs, the settings they run in, and the worlds around
// them, in memory and in child processes. Data and small programs, no search.
//
//   - [Setting] picks a scenario, a ticket, a strategy, a provider profile and a recording.
//   - [Simulated] runs a [Machine] in memory: the crash unwinds the life.
//   - [Killed] runs the same program in a child process that is really killed; the world outside it is
//     served by the parent.
//
// It imports everything else of the module but reports and cmd.
package scenarios
