// Package faults names the moments at which a program can be killed, writes plans of what is injected
// at them, and injects it.
//
//   - [Point] is a position around one call on a seam: payment.request_refund/after#1.
//   - [Plan] says what is injected in each life of a process, and prints and parses as one line of text.
//   - [Injector] is armed with one life of a plan; decorators of a program's own interfaces ask it at
//     every point. Its crash unwinds the life in a simulation ([Catch]) and is a real SIGKILL in a child
//     process ([KillSelf]).
//
// It imports the standard library only, so that anyone can afford it.
package faults
