package explorer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// report fails the test with one counterexample, and under EnvPlan with what is broken only: what is broken, the smallest plan, the lives of the
// process, the lines of the program's code around the kill, and the command that replays it.
func (s *tester) report(ctx context.Context, c Counterexample) {
	s.t.Helper()
	if os.Getenv(EnvPlan) != "" {
		s.t.Errorf("paytwice: %s: %s", c.Invariant, c.Detail)
		return
	}
	s.w.lines.Store(true)
	r, err := Replay(ctx, s.w, c.Plan, s.options())
	c.Detail = retold(c.Violation, r.History.Broken)
	var b strings.Builder
	fmt.Fprintf(&b, "paytwice: %s: %s\n", c.Invariant, c.Detail)
	fmt.Fprintf(&b, "  smallest plan  %s\n", c.Plan)
	if err != nil {
		fmt.Fprintf(&b, "  (it can't be replayed: %v)\n", err)
	} else {
		b.WriteString(s.timeline(r.History.Lives, shortened))
		b.WriteString(s.around(ctx, c.Plan))
		for _, e := range r.History.Ledger {
			fmt.Fprintf(&b, "  ledger         %s %s, %s for %s\n", e.Tool, e.Subject, e.RecordID, e.OperationID)
		}
	}
	if end, ok := r.End.(*binaryState); ok {
		if why := whyRepeated(s.p.Provider, end.provider.Ledger); why != "" {
			fmt.Fprintf(&b, "  note           %s\n", why)
		}
	}
	if strings.HasPrefix(c.Detail, fmt.Sprintf("started again %d times", s.p.MaxLives)) {
		fmt.Fprintf(&b, "  note           if each life gets on a little, Program.MaxLives, now %d, gives it more of them\n", s.p.MaxLives)
	}
	b.WriteString(s.alsoTwice(ctx, c))
	if s.p.AtOnce > 1 {
		fmt.Fprintf(&b, "  at once        %d processes in each life; those beside the first are not shown\n", s.p.AtOnce)
	}
	fmt.Fprintf(&b, "  replay         %s=%s go test -count=1 -run %s .%s\n", EnvPlan, quoted(c.Plan.String()), quoted(runPattern(s.t.Name())), ownArguments())
	s.t.Error(b.String())
}

// retold returns what a replay says of a violation that the search found: where each run has ids of its own, those
// of the search are not in the ledger that is shown. Where the replay does not show it, the search's own words stay;
// so they do of a program that never ends, where they say more.
func retold(found history.Violation, replayed []history.Violation) string {
	if found.Invariant == check.NeverEnds("").Invariant {
		return found.Detail
	}
	detail := ""
	for _, v := range replayed {
		switch {
		case v.Invariant != found.Invariant:
		case v.Intent == found.Intent:
			return v.Detail
		case detail == "":
			detail = v.Detail
		}
	}
	return cmp.Or(detail, found.Detail)
}

// whyRepeated says why the provider executed two requests under one key, empty if it did not.
func whyRepeated(p provider.Profile, ledger []provider.Effect[provider.Payload]) string {
	first := map[[2]string]time.Time{}
	for _, e := range ledger {
		request := [2]string{e.Payload.Kind, e.Key}
		began, repeats := first[request]
		switch {
		case e.Key == "" || !e.ReversedAt.IsZero():
		case !repeats:
			first[request] = e.At
		case !p.Keys():
			return cmp.Or(p.Name, "the provider") + " executes a repeat under the same key again"
		case p.KeyTTL > 0 && e.At.Sub(began) >= p.KeyTTL:
			return fmt.Sprintf("the key was forgotten after %s", p.KeyTTL)
		}
	}
	return ""
}

// quoted makes a word safe for a POSIX shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// ownArguments are what the go command is to give to the test binary, with -args before them: the program may
// depend on any of it.
func ownArguments() string {
	text := ""
	for _, a := range inherited(startArgs) {
		text += " " + quoted(a)
	}
	if text != "" {
		text = " -args" + text
	}
	return text
}

// around names the lines of the program on both sides of the last kill: the last that was reached, and the
// next that the same life would have come to.
func (s *tester) around(ctx context.Context, plan faults.Plan) string {
	if len(plan) == 0 || len(plan[len(plan)-1]) == 0 {
		return ""
	}
	last := plan[len(plan)-1]
	kill := last[len(last)-1].Point
	undisturbed := append(append(faults.Plan{}, plan[:len(plan)-1]...), faults.Life{})
	r, err := Replay(ctx, s.w, undisturbed, s.options())
	if err != nil || len(r.History.Lives) < len(plan) {
		return ""
	}
	events := r.History.Lives[len(plan)-1].Events
	for i := range events {
		if events[i].Point() != kill.String() {
			continue
		}
		before, after := "", ""
		for j := i; j >= 0 && before == ""; j-- {
			before = events[j].Where
		}
		for j := i + 1; j < len(events) && after == ""; j++ {
			if events[j].Where != before {
				after = events[j].Where
			}
		}
		if after == "" {
			after = "the end of Run"
		}
		return fmt.Sprintf("  killed between %s\n             and %s\n", before, after)
	}
	return ""
}

// alsoTwice tells a program that is wrong only under kills from one that is wrong whenever it runs twice.
func (s *tester) alsoTwice(ctx context.Context, c Counterexample) string {
	again, err := s.twice(ctx)
	if err != nil {
		return fmt.Sprintf("  note           started twice without a kill it can't be judged: %s\n", firstLineOf(err.Error()))
	}
	for _, v := range again.broken {
		if v.Invariant == c.Invariant {
			return "  note           it also breaks when it simply runs twice, without any kill\n"
		}
	}
	return "  note           running it twice without a kill is fine: only a crash shows it\n"
}

// startAgain fails the test of a program that survives every kill and breaks when it is started once more.
func (s *tester) startAgain(ctx context.Context) {
	s.t.Helper()
	s.w.lines.Store(true)
	again, err := s.twice(ctx)
	if err != nil {
		s.t.Fatalf("paytwice: started again after it had ended well: %v", err)
	}
	for _, v := range again.broken {
		note := "it survives every kill at a point; one after its last step does this, or whoever starts it twice"
		if v.Invariant == check.NeverEnds("").Invariant {
			note += "\n  note           an error asks for another start: return nil where there is nothing left to do"
		}
		s.t.Errorf("paytwice: %s: started again after it had ended well: %s\n%s  note           %s\n  otherwise      if it is never started again after a good end, set Program.RunsOnce", v.Invariant, v.Detail, s.timeline(again.lives, shortened), note)
	}
}

// startedTwice is what a program left that has simply run twice, and all its lives.
type startedTwice struct {
	lives  []history.Life
	broken []history.Violation
}

// twice starts a program, and once it has ended well starts it again, as after a kill that came after its last
// step. Like every other start this one may need several lives.
func (s *tester) twice(ctx context.Context) (startedTwice, error) {
	var out startedTwice
	state, err := s.w.Start(ctx)
	for range 2 {
		if err == nil && len(out.broken) == 0 {
			state, err = s.untilEnd(ctx, state, &out)
		}
	}
	if err != nil || len(out.broken) > 0 {
		return out, err
	}
	o, err := s.w.Outcome(ctx, state)
	if err != nil {
		return out, err
	}
	out.broken = o.Broken
	return out, nil
}

// untilEnd lives undisturbed lives until one ends well. A program of which none does, or one that fails and has
// changed nothing, never ends.
func (s *tester) untilEnd(ctx context.Context, from State, out *startedTwice) (State, error) {
	why := ""
	for range s.p.MaxLives {
		inc, err := s.w.Run(ctx, from, nil)
		if err != nil {
			return nil, err
		}
		out.lives = append(out.lives, inc.Life)
		if inc.Life.Ended == history.Done {
			return inc.Next, nil
		}
		why = inc.Life.Error
		if inc.Next.Key() == from.Key() && s.p.AtOnce == 1 {
			break
		}
		from = inc.Next
	}
	out.broken = append(out.broken, check.NeverEnds(fmt.Sprintf("it does not end well any more: %s", why)))
	return from, nil
}
