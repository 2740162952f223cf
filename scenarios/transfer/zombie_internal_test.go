package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// stage is one world with the workers that meet in it.
type stage struct {
	t     *testing.T
	form  Form
	clock *scenarios.Clock
	// texts returns what one worker, or the world outside, sees of the durable texts.
	texts   func() scenarios.Texts
	unfence bool
}

func newStage(t *testing.T, f Form, texts func() scenarios.Texts) *stage {
	t.Helper()
	books := firstBooks()
	books.LosesCredits = f.LosesCredits
	body, err := json.Marshal(books)
	if err != nil {
		t.Fatal(err)
	}
	if err := texts().Replace(t.Context(), BankFile, string(body)); err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, form: f, clock: scenarios.NewClock(scenarios.Today), texts: texts}
}

// work lives one worker, who stalls where the plan says: then time passes, and others go on.
func (s *stage) work(stall string, others func()) (history.End, error) {
	s.t.Helper()
	plan, err := faults.Parse(stall)
	if err != nil {
		s.t.Fatal(err)
	}
	in := faults.NewInjector(plan.Life(0), faults.Options{Paused: func(e faults.Event) {
		if err := s.clock.Wait(s.t.Context(), e.Duration); err != nil {
			s.t.Fatal(err)
		}
		others()
	}})
	var world scenarios.Service = desk{s.texts(), s.clock.Now}
	if s.unfence {
		world = unfenced{world}
	}
	seat := &seams.Seat{Injector: in, Now: s.clock.Now, Record: func(history.Event) {}}
	end, err := s.form.live(s.t.Context(), scenarios.NewHands(seat, s.clock, s.texts(), world))
	if left := in.Unreached(); len(left) > 0 {
		s.t.Fatalf("%v did not strike", left)
	}
	return end, err
}

func (s *stage) look() (Record, Books, []Alert) {
	s.t.Helper()
	c, err := scenarios.ReadValue[checkpoint](s.t.Context(), s.texts(), CheckpointFile)
	if err != nil {
		s.t.Fatal(err)
	}
	books, err := scenarios.ReadValue[Books](s.t.Context(), s.texts(), BankFile)
	if err != nil {
		s.t.Fatal(err)
	}
	alerts, err := scenarios.ReadValue[[]Alert](s.t.Context(), s.texts(), AlertsFile)
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Record, books, alerts
}

// unfenced is a bank that looks at no token.
type unfenced struct{ scenarios.Service }

func (u unfenced) Call(ctx context.Context, site faults.Site, body []byte) (any, error) {
	if site.Seam == "bank" {
		var o order
		if err := json.Unmarshal(body, &o); err != nil {
			return nil, err
		}
		o.Token = 1 << 20
		body, _ = json.Marshal(o)
	}
	return u.Service.Call(ctx, site, body)
}

// keeps are the two kinds of durable texts. In a folder every worker has its own connections, as
// processes have.
func keeps(t *testing.T) map[string]func() scenarios.Texts {
	memory, dir := &scenarios.Memory{}, t.TempDir()
	return map[string]func() scenarios.Texts{
		"memory": func() scenarios.Texts { return memory },
		"sqlite": func() scenarios.Texts {
			f := scenarios.NewFolder(dir)
			t.Cleanup(func() {
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			})
			return f
		},
	}
}

// A worker that was thought dead wakes up after another has taken its lease and finished.
func TestZombie(t *testing.T) {
	stale := func(err error) bool {
		var refused *resolver.RefusedError
		return errors.As(err, &refused) && refused.Code == staleToken
	}
	lost := func(err error) bool { return errors.Is(err, resolver.ErrLeaseLost) }
	none := func(err error) bool { return err == nil }
	cases := []struct {
		title     string
		form      Form
		stall     string
		unfenced  bool
		transfers int
		zombie    func(error) bool
	}{
		{"before the write", Form{}, "pause 2m bank.transfer/before#1", false, 1, stale},
		{"after the write", Form{}, "pause 2m bank.transfer/after#1", false, 1, lost},
		{"before a save", Form{}, "pause 2m checkpoint.save/before#2", false, 1, lost},
		{"before the write, at a bank that looks at no token: the key saves it", Form{}, "pause 2m bank.transfer/before#1", true, 1, lost},
		{"without a key, before the write", Form{Mark: MarkLast}, "pause 2m bank.transfer/before#1", false, 1, stale},
		{"without a key, at a bank that looks at no token", Form{Mark: MarkLast}, "pause 2m bank.transfer/before#1", true, 2, lost},
		{"still asleep when the lease has not expired", Form{}, "pause 10s bank.transfer/before#1", false, 1, stale},
		{"with nobody else", Form{}, "pause 2m bank.transfer/before#1", false, 1, none},
	}
	for _, c := range cases {
		for kind, texts := range keeps(t) {
			t.Run(c.title+"/"+kind, func(t *testing.T) {
				s := newStage(t, c.form, texts)
				s.unfence = c.unfenced
				_, err := s.work(c.stall, func() {
					if c.title == "with nobody else" {
						return
					}
					if end, err := s.work("run", nil); end != history.Done || err != nil {
						t.Errorf("the second worker ended %s: %v", end, err)
					}
				})
				if !c.zombie(err) {
					t.Errorf("the zombie ended with %v", err)
				}
				rec, books, _ := s.look()
				if rec.Status != Committed || len(books.Entries) != c.transfers {
					t.Errorf("recorded as %s, %d transfers, want committed and %d", rec.Status, len(books.Entries), c.transfers)
				}
				want := map[string]int64{"A": 1500_00 - int64(c.transfers)*100_00, "B": 200_00 + int64(c.transfers)*100_00}
				got := map[string]int64{"A": books.Accounts["A"].BalanceCents, "B": books.Accounts["B"].BalanceCents}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("balances (-want +got)\n%s", diff)
				}
			})
		}
	}
}

// A lease that a dead worker left is waited for, and taken with a higher token.
func TestLease(t *testing.T) {
	memory := &scenarios.Memory{}
	s := newStage(t, Form{}, func() scenarios.Texts { return memory })
	w := &worker{Hands: scenarios.NewHands(&seams.Seat{Injector: faults.NewInjector(nil, faults.Options{}), Now: s.clock.Now,
		Record: func(history.Event) {}}, s.clock, memory, nil)}
	if err := w.acquire(t.Context()); err != nil || w.token != 1 {
		t.Fatalf("token %d: %v", w.token, err)
	}
	start := s.clock.Now()
	if end, err := s.work("run", nil); end != history.Done || err != nil {
		t.Fatalf("it ended %s: %v", end, err)
	}
	if waited := s.clock.Now().Sub(start); waited != LeaseTTL {
		t.Errorf("it waited %s, want %s", waited, LeaseTTL)
	}
	c, err := scenarios.ReadValue[checkpoint](t.Context(), memory, CheckpointFile)
	if err != nil || c.Lease.Token != 2 || c.Lease.ExpiresAt.After(s.clock.Now().Add(-time.Nanosecond)) {
		t.Errorf("lease %+v after its release: %v", c.Lease, err)
	}
}

// A failed check that nobody hears of does not end the run: it is raised again until somebody does.
func TestAlert_Webhook(t *testing.T) {
	var heard []Alert
	status := http.StatusServiceUnavailable
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a Alert
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
			t.Error(err)
		}
		if status == http.StatusOK {
			heard = append(heard, a)
		}
		w.WriteHeader(status)
	}))
	defer hook.Close()
	memory := &scenarios.Memory{}
	s := newStage(t, Form{LosesCredits: true, alerter: Webhook{URL: hook.URL, Client: hook.Client()}}, func() scenarios.Texts { return memory })
	if end, err := s.work("run", nil); end != history.Failed || err == nil {
		t.Errorf("with a deaf webhook it ended %s: %v", end, err)
	}
	if rec, _, _ := s.look(); rec.final() {
		t.Errorf("with a deaf webhook it is recorded as %s", rec.Status)
	}
	status = http.StatusOK
	if end, err := s.work("run", nil); end != history.Person || err != nil {
		t.Errorf("it ended %s: %v", end, err)
	}
	want := []Alert{{"transfer-1 rolled_back", "transfer-1", "A was debited 100.00 and B credited 0.00; rolled back"}}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("heard (-want +got)\n%s", diff)
	}
	rec, books, _ := s.look()
	if rec.Status != RolledBack {
		t.Errorf("recorded as %s", rec.Status)
	}
	if diff := cmp.Diff(firstBooks().Accounts, books.Accounts); diff != "" {
		t.Errorf("accounts (-want +got)\n%s", diff)
	}
}

// Rolling back puts back the marks of earlier transfers, too.
func TestReverse_EarlierMarks(t *testing.T) {
	b := firstBooks()
	if _, err := b.transfer(order{Key: "earlier", From: "B", To: "A", AmountCents: 50_00}, scenarios.Today); err != nil {
		t.Fatal(err)
	}
	before := map[string]Account{"A": b.Accounts["A"], "B": b.Accounts["B"]}
	if before["B"].LastTransfer != "TR-1" {
		t.Fatalf("accounts %v", before)
	}
	for _, loses := range []bool{false, true} {
		b.LosesCredits = loses
		got, err := b.transfer(order{From: "A", To: "B", AmountCents: 100_00}, scenarios.Today)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := b.reverse(order{Record: got.Entry.Record}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(before, b.Accounts); diff != "" {
			t.Errorf("accounts (-want +got)\n%s", diff)
		}
	}
}
