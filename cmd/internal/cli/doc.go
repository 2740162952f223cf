// Package cli holds what the command lines of this module share: how a program is run and which exit code
// it ends with, what is said about a mistyped name, the terminal, untrusted text and the wall clock.
//
// Import rule: resolver, resolver/agent, cobra and pflag. Nothing outside cmd imports it.
//
//   - [Run] executes a cobra command; [WrongUse] marks an error of the caller's, which ends with [ExitUsage].
//   - [Exactly], [Between] and [NoArguments] check arguments and name what is missing.
//   - [Choice] is a flag of few values; [Nearest] finds what a mistyped name meant.
//   - [Output] remembers that a write failed; [Style] colours where somebody looks.
//   - [Wrap] and [Shorten] lay out text; pass it through agent.Clean first if it is somebody else's.
//   - [Wall] is the real time.
package cli
