// Package strategy holds the ways to record, retry and recover that the lessons compare, each a small
// value that the executor is built with.
//
// It imports resolver only.
package strategy

import "github.com/paytwice/paytwice/resolver"

// OperationID sends one id for one intent, asks first when it can't know, and calls only if it did not
// happen: the course's executor.
func OperationID() resolver.Strategy {
	return resolver.Strategy{Name: "operation-id", Doc: "same id; asks first; calls only if it did not happen",
		SendsKey: true, Ask: resolver.AskByID, Record: resolver.RecordAttemptFirst, Careful: true}
}

// NaiveRetry just calls again: a new request, nothing asked.
func NaiveRetry() resolver.Strategy {
	return resolver.Strategy{Name: "naive-retry", Doc: "a new request, nothing asked",
		Ask: resolver.AskNothing, Record: resolver.RecordAttemptFirst}
}

// IDOnly relies on the service alone: the same id, never a question.
func IDOnly() resolver.Strategy {
	return resolver.Strategy{Name: "id-only", Doc: "same id, never asks",
		SendsKey: true, Ask: resolver.AskNothing, Record: resolver.RecordAttemptFirst, Careful: true}
}

// LookupOnly sends no id and looks among recent changes for its own.
func LookupOnly() resolver.Strategy {
	return resolver.Strategy{Name: "lookup-only", Doc: "no id; looks among recent changes, takes \"not found\" at its word",
		Ask: resolver.AskByArguments, Record: resolver.RecordAttemptFirst}
}

// MarkFirst records done, then acts: at most once, so it loses writes.
func MarkFirst() resolver.Strategy {
	return resolver.Strategy{Name: "mark-first", Doc: "records done, then acts; after no answer does nothing",
		Ask: resolver.AskNothing, Record: resolver.RecordDoneFirst}
}

// MarkLast acts, then records: at least once, so it doubles writes.
func MarkLast() resolver.Strategy {
	return resolver.Strategy{Name: "mark-last", Doc: "acts, then records; after no answer calls again",
		Ask: resolver.AskNothing, Record: resolver.RecordDoneLast}
}

// Restart keeps no checkpoint: the whole task again, with the next recorded decisions.
func Restart() resolver.Strategy {
	return resolver.Strategy{Name: "restart", Doc: "no checkpoint: the whole task again, with a new approval",
		Ask: resolver.AskNothing, Record: resolver.RecordDoneLast, FromStart: true}
}

// All returns the strategies in the order that every table shows them.
func All() []resolver.Strategy {
	return []resolver.Strategy{OperationID(), NaiveRetry(), IDOnly(), LookupOnly(), MarkFirst(), MarkLast(), Restart()}
}

// Names returns the names of All, in its order.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// ByName returns the strategy of that name.
func ByName(name string) (resolver.Strategy, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return resolver.Strategy{}, false
}
