package resolver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/resolver/strategy"
)

const feeID = "797fbb5bbb9f8a7e"

var (
	noAnswer = resolver.ErrTimeout
	lost     = provider.LoseBefore
	hidden   = provider.LoseAfter
	ok       = provider.NoTrouble
)

// feeBench is the late fee of T-90104, approved.
func feeBench(t *testing.T, p provider.Profile, writes ...provider.Trouble) *bench {
	t.Helper()
	b := newBench(t, p, "T-90104", feeRefund)
	b.script.writes = writes
	b.approve()
	return b
}

func profile(t *testing.T, name string) provider.Profile {
	t.Helper()
	p, found := provider.ByName(name)
	if !found {
		t.Fatalf("no profile %s", name)
	}
	return p
}

// Rule 1: without a matching approval, or for a foreign order, nothing is sent and nothing is saved.
func TestExecute_RefusedBeforeAnythingIsSent(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*resolver.TaskState)
		want   error
	}{
		{"no approval", func(s *resolver.TaskState) { s.Approval = nil }, resolver.ErrNotApproved},
		{"no proposal", func(s *resolver.TaskState) { s.Proposal = nil }, resolver.ErrNotApproved},
		{"another amount", func(s *resolver.TaskState) { s.Proposal.Actions[0].AmountCents = 19_90 }, resolver.ErrNotApproved},
		{"an action more", func(s *resolver.TaskState) {
			s.Proposal.Actions = append(s.Proposal.Actions, resolver.PlannedAction{Action: planter})
		}, resolver.ErrNotApproved},
		{"the approval of another run", func(s *resolver.TaskState) { s.RunID = "T-90104-agent-chat-small-2" }, resolver.ErrNotApproved},
		{"an approval that names no proposal", func(s *resolver.TaskState) { s.Approval.Fingerprint = "" }, resolver.ErrNotApproved},
		{"still waiting", func(s *resolver.TaskState) { s.Status = resolver.WaitingApproval }, resolver.ErrNotApproved},
		{"still running", func(s *resolver.TaskState) { s.Status = resolver.Running }, resolver.ErrNotApproved},
		{"handed over before it was approved", func(s *resolver.TaskState) { s.Status, s.Approval = resolver.HandedToPerson, nil }, resolver.ErrNotApproved},
		{"an order nobody looked up", func(s *resolver.TaskState) { s.Evidence = nil }, resolver.ErrForeignOrder},
		{"a look-up that failed", func(s *resolver.TaskState) { s.Evidence[0].OK = false }, resolver.ErrForeignOrder},
		{"another customer's order", func(s *resolver.TaskState) { s.CustomerID = "C-10507" }, resolver.ErrForeignOrder},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield())
			err := b.underLease(func(s *resolver.TaskState, lease resolver.Lease) error {
				c.change(s)
				return b.executor().Execute(ctx, s, lease)
			})
			isErr(t, "execute", err, c.want)
			same(t, "calls and saves", b.script.log, []string(nil))
			same(t, "changes", len(b.changes()), 0)
		})
	}
}

// An order is also the customer's own when a list of orders showed it.
func TestOwnsOrder_FromAList(t *testing.T) {
	s := &resolver.TaskState{CustomerID: "C-1"}
	s.Evidence = []resolver.Evidence{{OK: true, Result: marshal(t, []resolver.Order{{OrderID: "LK-000001", CustomerID: "C-1"}, {OrderID: "LK-000002", CustomerID: "C-2"}})}}
	same(t, "own", s.OwnsOrder("LK-000001"), true)
	same(t, "foreign", s.OwnsOrder("LK-000002"), false)
	same(t, "unknown", s.OwnsOrder("LK-000003"), false)
}

// Rules 2 and 4: each order of saves, questions and calls in which one refund goes through.
func TestExecute_SavesBeforeItCalls(t *testing.T) {
	settled := "save executing done/1"
	for _, c := range []struct {
		name   string
		writes []provider.Trouble
		want   []string
	}{
		{"at once", nil, []string{"save executing pending/1", "call 1 " + feeID, settled, "save done done/1"}},
		{"answer lost", []provider.Trouble{hidden}, []string{"save executing pending/1", "call 1 " + feeID, "ask " + feeID, settled, "save done done/1"}},
		{"request lost", []provider.Trouble{lost}, []string{"save executing pending/1", "call 1 " + feeID, "ask " + feeID,
			"save executing pending/2", "call 2 " + feeID, "save executing done/2", "save done done/2"}},
		{"503", []provider.Trouble{provider.UnavailableBefore}, []string{"save executing pending/1", "call 1 " + feeID,
			"save executing pending/2", "call 2 " + feeID, "save executing done/2", "save done done/2"}},
		{"three lost", []provider.Trouble{lost, lost, lost}, []string{"save executing pending/1", "call 1 " + feeID, "ask " + feeID,
			"save executing pending/2", "call 2 " + feeID, "ask " + feeID, "save executing pending/3", "call 3 " + feeID, "ask " + feeID,
			"save executing failed/3", "save handed_to_person failed/3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield(), c.writes...)
			must(t, b.execute())
			same(t, "log", b.script.log, c.want)
		})
	}
}

// The same lost first call on every profile: what is asked, waited for and called again.
func TestExecute_EachProfile(t *testing.T) {
	done, person := resolver.Done, resolver.HandedToPerson
	type row struct {
		Calls, Asked int
		Waits        []time.Duration
		Ends         ends
	}
	five := []time.Duration{5 * time.Second}
	ten := []time.Duration{5 * time.Second, 5 * time.Second}
	found := row{1, 1, nil, one(done, "done", 1, 1)}     // a strong look-up shows it
	again := row{2, 1, nil, one(done, "done", 2, 1)}     // a strong look-up shows that it didn't happen
	underKey := row{2, 1, five, one(done, "done", 2, 1)} // the key answers before a look-up could; the wait is the read-back's
	blind := row{1, 0, nil, one(person, resolver.OperationUnknown, 1, 0)}
	blindHidden := row{1, 0, nil, one(person, resolver.OperationUnknown, 1, 1)}
	tables := map[string]map[provider.Trouble]row{}
	for _, name := range []string{"replay-all", "resume", "latest-status", "larkfield"} {
		tables[name] = map[provider.Trouble]row{hidden: found, lost: again, provider.UnavailableBefore: again}
	}
	tables["larkfield"][provider.UnavailableBefore] = row{2, 0, nil, one(done, "done", 2, 1)}
	for _, name := range []string{"transient-flag", "scoped-token", "cancel-by-key"} {
		tables[name] = map[provider.Trouble]row{hidden: underKey, lost: underKey, provider.UnavailableBefore: underKey}
	}
	// Without a key, or with one that any error answer frees, only time tells.
	for _, name := range []string{"no-key", "success-only", "key-only"} {
		tables[name] = map[provider.Trouble]row{
			hidden:                     {1, 2, five, one(done, "done", 1, 1)},
			lost:                       {2, 2, ten, one(done, "done", 2, 1)},
			provider.UnavailableBefore: {2, 2, ten, one(done, "done", 2, 1)},
		}
	}
	tables["blind"] = map[provider.Trouble]row{hidden: blindHidden, lost: blind, provider.UnavailableBefore: blind}
	for _, p := range provider.Profiles() {
		for trouble, want := range tables[p.Name] {
			t.Run(p.Name+"/"+string(trouble), func(t *testing.T) {
				b := feeBench(t, p, trouble)
				must(t, b.execute())
				same(t, "calls, questions, waits, end", row{b.script.calls, b.script.asked, b.clock.waits, b.ends()}, want)
				must(t, b.execute())
				same(t, "a second execution", b.ends(), want.Ends)
			})
		}
	}
	same(t, "profiles", len(tables), len(provider.Profiles()))
}

// An error answer whose change was made: some profiles free the key with it, so a repeat under it would pay
// again. No profile has a second change, and none is written off.
func TestExecute_ErrorAfterTheChange(t *testing.T) {
	for _, p := range provider.Profiles() {
		for _, trouble := range []provider.Trouble{provider.UnavailableAfter, provider.ErrorAfter} {
			if trouble == provider.UnavailableAfter && p.UnavailableIsSafe {
				continue // its 503 promises the opposite
			}
			t.Run(p.Name+"/"+string(trouble), func(t *testing.T) {
				b := feeBench(t, p, trouble)
				must(t, b.execute())
				same(t, "changes", len(b.changes()), 1)
				if op := b.load().Operations[0]; op.Status == resolver.OperationFailed {
					t.Errorf("the refund is there, and recorded as failed (%s)", op.Error)
				}
			})
		}
	}
}

// Without any fault, every profile ends done after one call.
func TestExecute_UndisturbedOnEveryProfile(t *testing.T) {
	for _, p := range provider.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			b := newBench(t, p, "T-90103", planter, planterBack)
			b.approve()
			must(t, b.execute())
			same(t, "end", b.ends(), ends{resolver.Done, []resolver.OperationStatus{"done", "done"}, []int{1, 1}, 2})
			same(t, "calls, questions", [2]int{b.script.calls, b.script.asked}, [2]int{2, 0})
		})
	}
}

// Rule 3: what the approval relied on is checked just before a call. GetRefunds counts as looked.
func TestExecute_CheckJustBeforeTheCall(t *testing.T) {
	colleague := func(a resolver.Action) func(*testing.T, *bench) {
		return func(t *testing.T, b *bench) {
			_, err := b.world.Services(services.Caller{TicketID: "phone-call"}).Payment.RequestRefund(ctx, resolver.WriteRequest{TicketID: "phone-call", Key: "manual-1", Action: a})
			must(t, err)
		}
	}
	damage := feeRefund
	damage.ReasonCode = "RFD-DAMAGE"
	less := feeRefund
	less.AmountCents = 1
	down := resolver.ErrUnavailable
	for _, c := range []struct {
		name    string
		ticket  string
		action  resolver.Action
		before  func(*testing.T, *bench)
		refunds []error
		calls   int
		looked  int
		want    ends
		why     string
	}{
		{"nobody", "T-90104", feeRefund, nil, nil, 1, 1, one(resolver.Done, "done", 1, 1), ""},
		{"a colleague, same reason", "T-90104", feeRefund, colleague(feeRefund), nil, 0, 1, one(resolver.HandedToPerson, "failed", 0, 1), "LK-793996 has a refund for RFD-LATE already (RF-4CFEAE8E)"},
		{"a colleague, same reason, other amount", "T-90104", feeRefund, colleague(less), nil, 0, 1, one(resolver.HandedToPerson, "failed", 0, 1), "LK-793996 has a refund for RFD-LATE already (RF-4CFEAE8E)"},
		{"a colleague, other reason", "T-90104", feeRefund, colleague(damage), nil, 1, 1, one(resolver.Done, "done", 1, 2), ""},
		{"a named payment is the service's affair", "T-65273", namedRefund, colleague(namedRefund), nil, 1, 0, one(resolver.HandedToPerson, "failed", 1, 1), "PAY-507862-2 is not a captured charge of LK-507862"},
		{"a label needs no check", "T-90604", ladderLabel, nil, nil, 1, 0, one(resolver.Done, "done", 1, 1), ""},
		{"asked again while the service is down", "T-90104", feeRefund, nil, []error{down, down}, 1, 3, one(resolver.Done, "done", 1, 1), ""},
		{"the check can't be made", "T-90104", feeRefund, nil, []error{down, down, down}, 0, 3, one(resolver.HandedToPerson, "failed", 0, 0), "the earlier refunds of LK-793996 can't be read: unavailable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, provider.Larkfield(), c.ticket, c.action)
			b.approve()
			if c.before != nil {
				c.before(t, b)
			}
			b.script.refunds = c.refunds
			must(t, b.execute())
			same(t, "calls, looked", [2]int{b.script.calls, b.script.looked}, [2]int{c.calls, c.looked})
			same(t, "end", b.ends(), c.want)
			same(t, "why", b.load().Operations[0].Error, c.why)
			same(t, "stop reason", b.load().StopReason, c.why)
		})
	}
}

// Where nobody can be asked, nothing is checked; nor by strategies without ids, whose faults it would hide.
func TestExecute_WhoChecks(t *testing.T) {
	for _, s := range strategy.All() {
		for _, name := range []string{"larkfield", "no-key", "blind"} {
			t.Run(s.Name+"/"+name, func(t *testing.T) {
				b := feeBench(t, profile(t, name))
				b.x.Strategy = s
				must(t, b.execute())
				careful := s.Name == "operation-id" || s.Name == "id-only"
				same(t, "checked, read back", [2]bool{b.script.looked > 0, b.script.read > 0}, [2]bool{careful && name != "blind", careful && name != "blind"})
			})
		}
	}
}

// A change by our own id is no violation, in whatever life it was made.
func TestExecute_OwnRefundIsNoColleague(t *testing.T) {
	b := feeBench(t, provider.Larkfield())
	b.script.asks = []error{noAnswer, noAnswer, noAnswer}
	b.x.Interrupt = resolver.InterruptAfterWrite
	var stop *resolver.InterruptedError
	if err := b.execute(); !errors.As(err, &stop) {
		t.Fatal(err)
	}
	b.x.Interrupt = ""
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 2, 1))
}

// Once a look-up has settled that nothing happened, a colleague's refund leaves the operation failed, not
// unknown; as long as nobody could say, unknown.
func TestExecute_ColleagueBetweenTwoCalls(t *testing.T) {
	// Asked after the lost answer, and once more before the colleague's refund ends it.
	down := []error{noAnswer, noAnswer, noAnswer, noAnswer, noAnswer, noAnswer}
	for _, c := range []struct {
		name   string
		asks   []error
		status resolver.OperationStatus
	}{{"settled", nil, resolver.OperationFailed}, {"nobody could say", down, resolver.OperationUnknown}} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield(), lost)
			b.script.asks = c.asks
			b.script.before = func() {
				_, err := b.world.Services(services.Caller{TicketID: "phone-call"}).Payment.RequestRefund(ctx, resolver.WriteRequest{Key: "manual-1", Action: feeRefund})
				must(t, err)
			}
			must(t, b.execute())
			same(t, "end", b.ends(), one(resolver.HandedToPerson, c.status, 1, 1))
		})
	}
}

// Rule 4: at most three calls over all lives.
func TestExecute_ThreeCallsOverAllLives(t *testing.T) {
	for _, c := range []struct {
		name  string
		lives int // lives that die during their call
		lost  []provider.Trouble
		asks  []error
		calls int
		want  ends
	}{
		{"one life", 0, []provider.Trouble{lost, lost, lost}, nil, 3, one(resolver.HandedToPerson, "failed", 3, 0)},
		{"three lives, then a fourth", 3, []provider.Trouble{lost, lost, lost}, nil, 3, one(resolver.HandedToPerson, "failed", 3, 0)},
		{"two lives, the third call goes through", 2, []provider.Trouble{lost, lost}, nil, 3, one(resolver.Done, "done", 3, 1)},
		{"two lives, the third answer is lost", 2, []provider.Trouble{lost, lost, hidden}, nil, 3, one(resolver.Done, "done", 3, 1)},
		{"three lives, and nobody answers", 3, []provider.Trouble{lost, lost, lost}, errorsOf(noAnswer, 20), 3, one(resolver.HandedToPerson, "unknown", 3, 0)},
		{"three lives, it happened, and nobody answers", 3, []provider.Trouble{lost, lost, hidden}, errorsOf(noAnswer, 20), 3, one(resolver.HandedToPerson, "unknown", 3, 1)},
		{"503 three times", 0, []provider.Trouble{provider.UnavailableBefore, provider.UnavailableBefore, provider.UnavailableBefore}, nil, 3, one(resolver.HandedToPerson, "failed", 3, 0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield(), c.lost...)
			b.script.asks = c.asks
			for n := range c.lives {
				dies(t, b, n+1)
			}
			same(t, "attempts on record", b.attempts(), c.lives)
			must(t, b.execute())
			same(t, "calls", b.script.calls, c.calls)
			same(t, "end", b.ends(), c.want)
		})
	}
}

func errorsOf(err error, n int) []error {
	out := make([]error, n)
	for i := range out {
		out[i] = err
	}
	return out
}

// dies runs a life that is gone before the answer of its call comes: what was saved before it stays.
func dies(t *testing.T, b *bench, call int) {
	t.Helper()
	pid := 100 + call
	defer func() {
		if r := recover(); r != "killed" {
			panic(r)
		}
		b.dead[pid] = true
	}()
	lease, err := b.store.Acquire(ctx, b.run, resolver.Holder{Host: "here", PID: pid, Started: "1"}, resolver.DefaultLeaseTTL)
	must(t, err)
	x := b.executor()
	x.Services.Payment = mortal{x.Services.Payment}
	_ = x.Execute(ctx, b.load(), lease)
	panic("the life went on after its kill")
}

// mortal dies after its call was done.
type mortal struct{ resolver.Payment }

func (m mortal) RequestRefund(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	_, _ = m.Payment.RequestRefund(ctx, w)
	panic("killed")
}

// An outcome that nobody knows is never stored as failed, also when the last calls were safely refused
// with 503: those say nothing of the first.
func TestExecute_UnknownIsNeverFailed(t *testing.T) {
	unavailable := provider.UnavailableBefore
	for _, c := range []struct {
		name   string
		writes []provider.Trouble
		asks   []error
		want   ends
	}{
		{"hidden, no answers, 503 twice, then found", []provider.Trouble{hidden, unavailable, unavailable}, errorsOf(noAnswer, 3), one(resolver.Done, "done", 3, 1)},
		{"hidden, never an answer, 503 twice", []provider.Trouble{hidden, unavailable, unavailable}, errorsOf(noAnswer, 9), one(resolver.HandedToPerson, "unknown", 3, 1)},
		{"lost, no answers, 503 twice, then not found", []provider.Trouble{lost, unavailable, unavailable}, errorsOf(noAnswer, 3), one(resolver.HandedToPerson, "failed", 3, 0)},
		{"lost, settled, 503 twice", []provider.Trouble{lost, unavailable, unavailable}, nil, one(resolver.HandedToPerson, "failed", 3, 0)},
		{"503, hidden, never an answer", []provider.Trouble{unavailable, hidden, lost}, errorsOf(noAnswer, 9), one(resolver.HandedToPerson, "unknown", 3, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield(), c.writes...)
			b.script.asks = c.asks
			must(t, b.execute())
			same(t, "end", b.ends(), c.want)
		})
	}
}

// A refusal of a later call may be of our own change: who can be asked is asked before it is believed.
func TestExecute_RefusedAfterAnUncertainCall(t *testing.T) {
	for _, c := range []struct {
		name   string
		writes []provider.Trouble
		asks   []error
		want   ends
	}{
		{"it had happened", []provider.Trouble{hidden, ok}, errorsOf(noAnswer, 3), one(resolver.Done, "done", 2, 1)},
		{"it had not", []provider.Trouble{lost, provider.Refuse}, nil, one(resolver.HandedToPerson, "failed", 2, 0)},
		{"nobody answers", []provider.Trouble{hidden, provider.Refuse}, errorsOf(noAnswer, 9), one(resolver.HandedToPerson, "unknown", 2, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := provider.Larkfield()
			p.Stores = provider.StoresNothing // so that the second call is judged by the rules
			b := newBench(t, p, "T-65273", namedRefund)
			b.script.writes, b.script.asks = c.writes, c.asks
			b.script.can = func(can *resolver.Capabilities) { can.Keys = true }
			b.approve()
			must(t, b.execute())
			same(t, "end", b.ends(), c.want)
		})
	}
}

// The key is left alone in the last tenth of its life; what is left then is time, or a person.
func TestExecute_KeyTTL(t *testing.T) {
	for _, c := range []struct {
		name  string
		ttl   time.Duration
		age   time.Duration
		delay time.Duration
		look  bool
		calls int
		waits []time.Duration
		want  ends
	}{
		{"for ever", 0, 1000 * time.Hour, 0, false, 2, nil, one(resolver.Done, "done", 2, 1)},
		{"just inside the margin", 100 * time.Minute, 90*time.Minute - time.Second, 0, false, 2, nil, one(resolver.Done, "done", 2, 1)},
		{"at the margin", 100 * time.Minute, 90 * time.Minute, 0, false, 1, nil, one(resolver.HandedToPerson, "unknown", 1, 0)},
		{"long expired", 100 * time.Minute, 200 * time.Minute, 0, false, 1, nil, one(resolver.HandedToPerson, "unknown", 1, 0)},
		{"expired, and time tells", 100 * time.Minute, 90 * time.Minute, 91 * time.Minute, true, 2, []time.Duration{91 * time.Minute, 91 * time.Minute}, one(resolver.Done, "done", 2, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield(), lost)
			b.script.can = func(can *resolver.Capabilities) { can.KeyTTL, can.Lookup, can.MaxDelay = c.ttl, c.look, c.delay }
			dies(t, b, 1)
			b.clock.now = b.load().Operations[0].LastCallAt.Add(c.age)
			if c.delay > 0 {
				b.script.readBack = onSecondLook()
			}
			must(t, b.execute())
			same(t, "calls", b.script.calls, c.calls)
			same(t, "waits", b.clock.waits, c.waits)
			same(t, "end", b.ends(), c.want)
		})
	}
}

// onSecondLook hides a record from the first read-back, as a slow look-up does.
func onSecondLook() func(resolver.Change, bool) (resolver.Change, bool) {
	n := 0
	return func(c resolver.Change, found bool) (resolver.Change, bool) {
		n++
		return c, found && n > 1
	}
}

// Rule 5: what is read back is compared; a difference is a known-bad state.
func TestExecute_ReadBack(t *testing.T) {
	dearer := func(c resolver.Change, found bool) (resolver.Change, bool) {
		c.Action.AmountCents = 19_90
		return c, found
	}
	for _, c := range []struct {
		name     string
		profile  string
		readBack func(resolver.Change, bool) (resolver.Change, bool)
		reads    []error
		read     int
		waits    []time.Duration
		want     ends
		alert    string
	}{
		{"as asked", "larkfield", nil, nil, 1, nil, one(resolver.Done, "done", 1, 1), ""},
		{"another amount", "larkfield", dearer, nil, 1, nil, one(resolver.HandedToPerson, "unknown", 1, 1), "19.90"},
		{"another ticket", "larkfield", func(c resolver.Change, found bool) (resolver.Change, bool) {
			c.TicketID = "T-1"
			return c, found
		}, nil, 1, nil, one(resolver.HandedToPerson, "unknown", 1, 1), "out-of-band"},
		{"nothing there", "larkfield", func(c resolver.Change, _ bool) (resolver.Change, bool) { return c, false }, nil, 1, nil,
			one(resolver.HandedToPerson, "unknown", 1, 1), "is not there"},
		{"no answer at first", "larkfield", nil, []error{noAnswer, noAnswer}, 3, nil, one(resolver.Done, "done", 1, 1), ""},
		{"never an answer: the service said yes", "larkfield", nil, errorsOf(noAnswer, 3), 3, nil, one(resolver.Done, "done", 1, 1), ""},
		{"not shown yet", "success-only", nil, nil, 2, []time.Duration{5 * time.Second}, one(resolver.Done, "done", 1, 1), ""},
		{"never shown", "success-only", func(c resolver.Change, _ bool) (resolver.Change, bool) { return c, false }, nil, 2, []time.Duration{5 * time.Second},
			one(resolver.HandedToPerson, "unknown", 1, 1), "is not there"},
		{"no look-up, no read-back", "blind", nil, nil, 0, nil, one(resolver.Done, "done", 1, 1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, profile(t, c.profile))
			b.script.readBack, b.script.reads = c.readBack, c.reads
			must(t, b.execute())
			same(t, "read, waits", [2]any{b.script.read, b.clock.waits}, [2]any{c.read, c.waits})
			same(t, "end", b.ends(), c.want)
			same(t, "logged as reconcile", len(trace(b.load(), "reconcile")), 0)
			if c.alert == "" {
				same(t, "alerts", b.alerts, []string(nil))
				return
			}
			if len(b.alerts) != 1 || !strings.Contains(b.alerts[0], c.alert) || !strings.Contains(b.alerts[0], "rollback (out-of-band)") {
				t.Errorf("alerts: %q, want one about %q", b.alerts, c.alert)
			}
			must(t, b.execute())
			same(t, "a second execution", b.ends(), c.want)
		})
	}
}

// An alert that can't be given ends the execution: a known-bad state is not passed over.
func TestExecute_AlertFails(t *testing.T) {
	b := feeBench(t, provider.Larkfield())
	b.script.readBack = func(c resolver.Change, _ bool) (resolver.Change, bool) { return c, false }
	broken := errors.New("nobody is there")
	b.x.Alert = func(context.Context, string) error { return broken }
	isErr(t, "execute", b.execute(), broken)
	same(t, "end", b.ends(), one(resolver.Executing, "pending", 1, 1))
	// The next life finds the change, reads it back as asked, and goes on.
	b.script.readBack = nil
	must(t, b.execute())
	same(t, "end", b.ends(), one(resolver.Done, "done", 1, 1))
}

// A refused or unknown action stops the run: later actions are not sent.
func TestExecute_LaterActionsAreNotSent(t *testing.T) {
	for _, c := range []struct {
		name   string
		writes []provider.Trouble
		asks   []error
		want   ends
	}{
		{"refused", []provider.Trouble{provider.Refuse}, nil, one(resolver.HandedToPerson, "failed", 1, 0)},
		{"unknown", []provider.Trouble{hidden, lost, lost}, errorsOf(noAnswer, 20), one(resolver.HandedToPerson, "unknown", 3, 1)},
		{"settled, three times lost", []provider.Trouble{lost, lost, lost}, nil, one(resolver.HandedToPerson, "failed", 3, 0)},
		{"the second refused", []provider.Trouble{ok, provider.Refuse}, nil,
			ends{resolver.HandedToPerson, []resolver.OperationStatus{"done", "failed"}, []int{1, 1}, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, provider.Larkfield(), "T-90103", planter, planterBack)
			b.script.writes, b.script.asks = c.writes, c.asks
			b.approve()
			must(t, b.execute())
			same(t, "end", b.ends(), c.want)
		})
	}
}

// An operation that is done is skipped: no call, no question.
func TestExecute_SkipsWhatIsDone(t *testing.T) {
	b := newBench(t, provider.Larkfield(), "T-90103", planter, planterBack)
	b.approve()
	b.script.writes = []provider.Trouble{ok, lost}
	b.script.asks = errorsOf(context.Canceled, 1)
	b.x.Interrupt = resolver.InterruptAfterWrite
	var stop *resolver.InterruptedError
	if err := b.execute(); !errors.As(err, &stop) {
		t.Fatal(err)
	}
	b.x.Interrupt = ""
	must(t, b.execute())
	before := b.script.calls + b.script.asked
	must(t, b.execute())
	same(t, "calls and questions", b.script.calls+b.script.asked, before)
	same(t, "end", b.ends(), ends{resolver.Done, []resolver.OperationStatus{"done", "done"}, []int{1, 2}, 2})
}

// A process whose lease went to another sends nothing, however far it came.
func TestExecute_LeaseLost(t *testing.T) {
	for _, c := range []struct {
		name  string
		steal func(*bench, *resolver.Executor)
		calls int
		want  ends
	}{
		{"before the first call", func(b *bench, _ *resolver.Executor) { b.takeOver() }, 0, ends{Status: resolver.Executing}},
		{"between two calls", func(b *bench, _ *resolver.Executor) {
			b.script.writes = []provider.Trouble{lost}
			b.script.before = b.takeOver
		}, 1, one(resolver.Executing, "pending", 1, 0)},
		{"during the call that goes through", func(b *bench, _ *resolver.Executor) { b.script.before = b.takeOver }, 1, one(resolver.Executing, "pending", 1, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield())
			lease, err := b.store.Acquire(ctx, b.run, resolver.Holder{Host: "here", PID: 1, Started: "1"}, resolver.DefaultLeaseTTL)
			must(t, err)
			s, x := b.load(), b.executor()
			c.steal(b, x)
			isErr(t, "execute", x.Execute(ctx, s, lease), resolver.ErrLeaseLost)
			same(t, "calls", b.script.calls, c.calls)
			same(t, "end", b.ends(), c.want)
		})
	}
}

// takeOver gives the lease, once it has run out, to another process.
func (b *bench) takeOver() {
	b.script.before = nil
	b.clock.now = b.clock.now.Add(resolver.DefaultLeaseTTL)
	_, err := b.store.Acquire(ctx, b.run, resolver.Holder{Host: "there", PID: 2, Started: "1"}, time.Hour)
	must(b.t, err)
}

// Half of the lease gone, it is renewed before the next save: waits inside an execution don't lose it.
func TestExecute_RenewsItsLease(t *testing.T) {
	b := feeBench(t, profile(t, "no-key"), lost, lost)
	b.x.LeaseTTL = 8 * time.Second
	lease, err := b.store.Acquire(ctx, b.run, resolver.Holder{Host: "here", PID: 1, Started: "1"}, b.x.LeaseTTL)
	must(t, err)
	b.script.before = func() {
		if b.script.calls < 3 {
			return
		}
		same(t, "waited", b.clock.now.Sub(today), 10*time.Second) // longer than the lease first ran
		var held *resolver.LeaseHeldError
		if _, err := b.store.Acquire(ctx, b.run, resolver.Holder{Host: "there", PID: 2, Started: "1"}, time.Hour); !errors.As(err, &held) {
			t.Errorf("another process got the lease: %v", err)
		}
	}
	must(t, b.executor().Execute(ctx, b.load(), lease))
	same(t, "end", b.ends(), one(resolver.Done, "done", 3, 1))
}

// A cancelled context ends an execution with what was saved, and nothing more is sent.
func TestExecute_Cancelled(t *testing.T) {
	for _, c := range []struct {
		name   string
		asks   []error
		writes []provider.Trouble
	}{{"during the call", nil, nil}, {"during a lost call", nil, []provider.Trouble{lost}}} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield(), c.writes...)
			stopped, stop := context.WithCancel(ctx)
			b.script.before = stop
			err := b.underLease(func(s *resolver.TaskState, lease resolver.Lease) error {
				return b.executor().Execute(stopped, s, lease)
			})
			isErr(t, "execute", err, context.Canceled)
			b.script.before = nil
			must(t, b.execute())
			same(t, "end", b.ends().Status, resolver.Done)
			same(t, "changes", len(b.changes()), 1)
		})
	}
}

// The note that ends a run is named after it, so it is written once; one that can't be written undoes
// nothing.
func TestExecute_Note(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault string
		notes int
		log   []string
	}{
		{"at once", "", 1, nil},
		{"after two time-outs", "add_note:timeout:2", 1, nil},
		{"the answer lost", "add_note:timeout_after_write", 1, nil},
		{"never", "add_note:timeout:3", 0, []string{"note the ticket note could not be written"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := feeBench(t, provider.Larkfield())
			if c.fault != "" {
				f, err := services.ParseFault(c.fault)
				must(t, err)
				b.caller.Faults = []services.Fault{f}
			}
			must(t, b.execute())
			same(t, "notes", len(b.world.Snapshot().Notes), c.notes)
			same(t, "trace", trace(b.load(), "note"), c.log)
			same(t, "status", b.load().Status, resolver.Done)
		})
	}
}

func (b *bench) attempts() int {
	if s := b.load(); len(s.Operations) > 0 {
		return s.Operations[0].Attempts
	}
	return 0
}
