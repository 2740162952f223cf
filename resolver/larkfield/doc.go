// Package larkfield is the practice data set: what Larkfield's services hold on Friday 9 October 2026, the
// tickets, the support policy and the recorded decisions. The data is embedded; every reader also takes an
// fs.FS or an io.Reader, so that a learner's own files go through the same code.
//
// It imports resolver and resolver/agent of this module, nothing else.
//
//   - [Dataset] and [LoadData]: the rows of the services' tables.
//   - [Tasks], [TaskByID], [ParseTasks]: the tickets with their answer key. Hand only [Task.Ticket] to what
//     is being tested.
//   - [Policy] and [ParsePolicy]: the passages that the policy search looks through.
//   - [Recordings] and [Model]: the recorded decisions.
package larkfield
