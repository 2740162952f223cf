package planted

import (
	"context"

	"github.com/paytwice/paytwice/resolver"
)

// approvalBugs write what nobody approved.
func approvalBugs() []Bug {
	return []Bug{
		{Name: "approval-not-checked-again", Doc: "works the proposal out again when it resumes, and takes the old approval for it",
			Invariant: "unapproved-write", Mode: Kill, Crashes: 2, Planting: storing(approvalNotCheckedAgain)},
		{Name: "fingerprint-not-compared", Doc: "lets the amount be edited after the approval",
			Invariant: "unapproved-write", Crashes: 1, Planting: storing(fingerprintNotCompared)},
		{Name: "approval-in-two-steps", Doc: "saves the new status, then the approval that belongs to it: a kill between tears them apart",
			Invariant: "never-ends", Crashes: 2, Planting: storing(approvalInTwoSteps)},
		{Name: "approval-left-out-of-the-trail", Doc: "leaves the approval out of the trail",
			Invariant: "trail", Crashes: 1, Planting: storing(approvalLeftOut)},
		{Name: "given-up-before-the-approval", Doc: "hands a resumed run over while its proposal waits for the approval",
			Invariant: "needless-person", Crashes: 2, Planting: storing(givenUpBeforeApproval)},
		{Name: "goes-on-after-a-refusal", Doc: "sends the actions that come after a refused one all the same",
			Invariant: "unapproved-write", Ticket: "T-90106", Faults: []string{"refuse"}, Crashes: 1, Planting: storing(goesOn)},
	}
}

// raise makes the first action another one, under the approval of the old.
func raise(s *resolver.TaskState) {
	p, a := *s.Proposal, *s.Approval
	p.Actions = append([]resolver.PlannedAction{}, p.Actions...)
	p.Actions[0].AmountCents += 100
	s.Proposal, s.Approval = &p, &a
	a.Fingerprint = resolver.Fingerprint(s)
}

func approvalNotCheckedAgain(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, load: func(st *resolver.TaskState) {
		if st.Status == resolver.Executing && len(st.Operations) == 0 {
			raise(st)
		}
	}}
}

func fingerprintNotCompared(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		err := s.Save(ctx, st, lease, trail...)
		if err == nil && st.Approval != nil && len(st.Operations) == 0 {
			raise(st)
		}
		return err
	}}
}

func approvalInTwoSteps(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		if st.Approval != nil && len(st.Operations) == 0 {
			if err := saveEdited(ctx, s, st, lease, nil, func(c *resolver.TaskState) { c.Approval = nil }); err != nil {
				return err
			}
		}
		return s.Save(ctx, st, lease, trail...)
	}}
}

func approvalLeftOut(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		return s.Save(ctx, st, lease, without(trail, "approved")...)
	}}
}

// givenUpBeforeApproval takes a run that was begun by another process for a sign of trouble.
func givenUpBeforeApproval(s resolver.Store, _ *resolver.Runner) resolver.Store {
	resumed := false
	return &storePiece{Store: s, load: func(st *resolver.TaskState) { resumed = st.Step > 0 },
		save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
			if st.Status == resolver.WaitingApproval && resumed {
				st.Status = resolver.HandedToPerson
			}
			return s.Save(ctx, st, lease, trail...)
		}}
}

// goesOn tells the executor of a refused action that it is done, and the record that it was refused.
func goesOn(s resolver.Store, _ *resolver.Runner) resolver.Store {
	refused := map[string]string{}
	return &storePiece{Store: s, save: func(ctx context.Context, st *resolver.TaskState, lease resolver.Lease, trail []resolver.TrailEntry) error {
		for i := range st.Operations {
			if op := &st.Operations[i]; op.Status == resolver.OperationFailed {
				refused[op.ID], op.Status = op.Error, resolver.OperationDone
			}
		}
		return saveEdited(ctx, s, st, lease, trail, func(st *resolver.TaskState) {
			for i := range st.Operations {
				if op := &st.Operations[i]; refused[op.ID] != "" {
					op.Status = resolver.OperationFailed
				}
			}
		})
	}}
}
