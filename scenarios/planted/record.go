package planted

import (
	"context"

	"github.com/paytwice/paytwice/resolver"
)

// recordBugs write down too late, too early or too little of what they do.
func recordBugs() []Bug {
	return []Bug{
		{Name: "attempt-counted-after-saving", Doc: "saves, then counts the attempt: the record of a first call says that nothing was tried",
			Invariant: "double-write", Provider: "no-key", Mode: Kill, Crashes: 2, Planting: storing(attemptAfterSaving)},
		{Name: "done-before-the-call", Doc: "records the change as done, then makes the call",
			Invariant: "lost-write", Mode: Kill, Crashes: 2, Planting: strategic(func(s *resolver.Strategy) { s.Record = resolver.RecordDoneFirst })},
		{Name: "saved-after-the-call-only", Doc: "writes nothing down before a call",
			Invariant: "double-write", Provider: "no-key", Mode: Kill, Crashes: 2,
			Planting: strategic(func(s *resolver.Strategy) { s.Record = resolver.RecordDoneLast })},
		{Name: "attempts-of-this-process", Doc: "counts the calls of each process by themselves, not of all together",
			Invariant: "attempts", Crashes: 3, Planting: storing(attemptsOfThisProcess)},
		{Name: "saved-when-all-is-done", Doc: "saves the operations once the last one is done: a bad one repeats its finished neighbours",
			Invariant: "double-write", Provider: "no-key", Ticket: "T-90106", Crashes: 1, Planting: storing(savedWhenAllIsDone)},
		{Name: "attempt-left-out-of-the-trail", Doc: "counts a call, and leaves it out of the trail",
			Invariant: "trail", Crashes: 1, Planting: storing(attemptLeftOut)},
		{Name: "done-without-a-record", Doc: "records the change as done, and forgets which record the service made",
			Invariant: "state-mismatch", Crashes: 1, Planting: storing(doneWithoutARecord)},
	}
}

func attemptAfterSaving(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		return saveEdited(ctx, s, st, lease, trail, func(st *resolver.TaskState) {
			for i := range st.Operations {
				if op := &st.Operations[i]; op.Status == resolver.OperationPending && op.Attempts > 0 {
					op.Attempts--
				}
			}
		})
	}}
}

func attemptsOfThisProcess(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, load: func(st *resolver.TaskState) {
		for i := range st.Operations {
			st.Operations[i].Attempts = min(st.Operations[i].Attempts, 1)
		}
	}}
}

func savedWhenAllIsDone(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		return saveEdited(ctx, s, st, lease, trail, func(st *resolver.TaskState) {
			for _, op := range st.Operations {
				if op.Status == resolver.OperationPending || len(st.Operations) < len(st.Proposal.Actions) {
					st.Operations = []resolver.Operation{}
					return
				}
			}
		})
	}}
}

func attemptLeftOut(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		return s.Save(ctx, st, lease, without(trail, "attempt")...)
	}}
}

func doneWithoutARecord(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		for i := range st.Operations {
			st.Operations[i].RecordID = ""
		}
		return s.Save(ctx, st, lease, trail...)
	}}
}
