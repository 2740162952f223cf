// Package transfer is a transfer of 100 from account A to account B, approved because A holds more than
// 1000: what happens when it is cut off and resumed, when A has changed meanwhile, and when the bank says
// yes and does something else.
//
// The mended form has an idempotency key, asks the precondition again at commit, checks the rows after
// the action, and rolls back what is not as approved; whoever is handed the run is alerted. Two forms are
// the lesson's exercise: the status written before the action, and after it. A lease with a fencing token
// keeps a worker that was thought dead from writing.
//
// [Act] and the four actions beside it are the lesson's post-action checks, each a tiny program.
//
// It imports scenarios and what they import.
//
// Source: lesson "Checkpoints and rollback".
package transfer
