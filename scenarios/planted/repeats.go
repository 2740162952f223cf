package planted

import (
	"context"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
)

// repeatBugs repeat what is not a call for money: notes and model decisions.
func repeatBugs() []Bug {
	return []Bug{
		{Name: "note-named-by-the-process", Doc: "names the closing note after the process, so that a repeat is a second note",
			Invariant: "double-write", Crashes: 2, Planting: planting(noteOfTheProcess)},
		{Name: "loop-from-the-start", Doc: "begins the loop again when it resumes, and pays for decisions that are saved",
			Invariant: "decision-reasked", Mode: Kill, Crashes: 2, Planting: storing(loopFromTheStart)},
	}
}

type notes struct {
	resolver.Tickets
	process string
}

func (n notes) AddNote(ctx context.Context, ticketID, noteID, text string) error {
	return n.Tickets.AddNote(ctx, ticketID, noteID+"-"+n.process, text)
}

func noteOfTheProcess(r *resolver.Runner, _ scenarios.Bench) {
	r.Services.Tickets = notes{r.Services.Tickets, r.Holder.Started}
}

func loopFromTheStart(s resolver.Store, _ *resolver.Runner) resolver.Store {
	return &storePiece{Store: s, load: func(st *resolver.TaskState) {
		if st.Status == resolver.Running {
			st.Step, st.Plan, st.Evidence, st.Messages = 0, []string{}, []resolver.Evidence{}, []resolver.Message{}
		}
	}}
}
