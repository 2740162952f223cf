// Package child runs one incarnation of a program in a process of its own and ends it with a real
// SIGKILL: the wait status is checked, and that the kill landed where the plan said.
//
// The parent owns the clock and the record: the child reports what it does on an inherited pipe, or in an
// inherited file where nobody waits for it, and what was written there survives the kill. [Start] is the parent's
// side, [Attach] the child's.
//
// It imports faults and explorer/history.
package child
