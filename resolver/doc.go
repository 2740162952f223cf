// Package resolver is a support workflow: recorded model decisions become a proposal, a person approves
// it, and an executor makes refunds, return labels and reshipments, with a checkpoint after every step.
//
// It is the system under test of paytwice and knows nothing of crashes. It imports nothing else of this
// module; the store, the services, the model and the clock come in as interfaces.
//
// The ideas, and the lesson each comes from:
//
//   - [TaskState] is the whole state of a run. What a process alone holds is lost with it; what is in the
//     state is never more than one step behind. Lesson "Checkpoint and resume".
//   - [OperationID] names one intended change, the same in every attempt and every process.
//     Lesson "Side effects and retries".
//   - [Executor] saves "pending, attempt n" before call n, and after an uncertain answer asks before it
//     calls again. Four outcomes, not two: applied, refused, in flight, unknown.
//   - [Approval] belongs to one run and the [Fingerprint] of what was approved, never to the ticket.
//   - [Store] saves under a lease with a fencing token, compare-and-set on a version.
//     Lesson "Checkpoints and rollback".
//   - [Rollback] is named by every action before it is approved.
//   - [Runner] joins the loop, the approval and the executor into whole runs.
package resolver
