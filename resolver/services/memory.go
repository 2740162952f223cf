package services

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// Memory is the services in memory, for simulation. It is gone with the process.
type Memory struct {
	*World
	store  *memoryStore
	config Config
}

// NewMemory returns the services in memory, just reset.
func NewMemory(c Config) *Memory {
	return newMemory(&memoryStore{catalog: catalogOf(c.Data), image: &Image{}}, c)
}

func newMemory(s *memoryStore, c Config) *Memory {
	return &Memory{World: newWorld(s, c), store: s, config: c}
}

// Fork returns services of their own, just reset, over the same data and policy: one for each worker, or
// for another profile or clock.
func (m *Memory) Fork(profile provider.Profile, now func() time.Time) *Memory {
	c := m.config
	c.Profile, c.Now = profile, now
	f := newMemory(&memoryStore{catalog: m.store.catalog, image: &Image{}}, c)
	f.policy = m.policy
	return f
}

// Snapshot returns what the services remember now. It costs no copy: whatever happens next makes
// another image.
func (m *Memory) Snapshot() *Image {
	m.store.mu.Lock()
	defer m.store.mu.Unlock()
	return m.store.image
}

// Restore puts the services back to an image of the same data.
func (m *Memory) Restore(i *Image) {
	m.store.mu.Lock()
	defer m.store.mu.Unlock()
	m.store.image = i
}

// Reset forgets everything that happened.
func (m *Memory) Reset() { m.Restore(&Image{}) }

// memoryStore keeps the current image. An update works on a copy of the struct, and every change of a
// slice makes a new slice or writes behind every image's end, so an image that was handed out never changes and
// a failed update needs no undoing.
type memoryStore struct {
	catalog *catalog
	mu      sync.Mutex
	image   *Image
	ledger  growing
}

// growing is a ledger that one store alone appends to. Images hold the beginning of it, cut off so that nobody
// else has the room behind, and a life's images share it instead of copying it at every change.
type growing struct{ all []Effect }

// after returns a ledger with one more line. One that does not end where this one ends is copied first.
func (g *growing) after(ledger []Effect, e Effect) []Effect {
	if len(ledger) != len(g.all) || len(ledger) > 0 && &ledger[0] != &g.all[0] {
		g.all = slices.Clone(ledger)
	}
	g.all = append(g.all, e)
	return slices.Clip(g.all)
}

func (s *memoryStore) view(_ context.Context, f func(tables) error) error {
	return f(&memoryTables{catalog: s.catalog, Image: *s.current()})
}

func (s *memoryStore) update(_ context.Context, f func(tables) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &memoryTables{catalog: s.catalog, Image: *s.image, ledger: &s.ledger}
	if err := f(t); err != nil {
		return err
	}
	s.image = &t.Image
	return nil
}

func (s *memoryStore) current() *Image {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.image
}

// memoryTables is one transaction. The register of the provider engine is the image's own.
type memoryTables struct {
	*catalog
	Image
	ledger *growing // of an update
}

func (t *memoryTables) Append(e Effect) error {
	t.Ledger = t.ledger.after(t.Ledger, e)
	return nil
}

func (t *memoryTables) product(sku string) (larkfield.Product, bool, error) {
	p, found := t.products[sku]
	if i, touched := t.findStock(sku); touched {
		p.Stock = t.Stock[i].Stock
	}
	return p, found, nil
}

func (t *memoryTables) payments(orderID string) ([]larkfield.Payment, error) {
	rows := t.paymentsOf[orderID]
	if len(t.Payments) == 0 {
		return rows, nil
	}
	rows = slices.Clone(rows)
	for i := range rows {
		if at, touched := t.findPayment(rows[i].PaymentID); touched {
			rows[i].Status = t.Payments[at].Status
		}
	}
	return rows, nil
}

func (t *memoryTables) setPaymentStatus(paymentID, status string) error {
	i, touched := t.findPayment(paymentID)
	t.Payments = put(t.Payments, i, touched, PaymentStatus{PaymentID: paymentID, Status: status})
	return nil
}

func (t *memoryTables) setStock(sku string, stock int) error {
	i, touched := t.findStock(sku)
	t.Stock = put(t.Stock, i, touched, Stock{SKU: sku, Stock: stock})
	return nil
}

func (t *memoryTables) addNote(n Note) error {
	same := func(o Note) bool { return o.TicketID == n.TicketID && o.ID == n.ID }
	if !slices.ContainsFunc(t.Notes, same) {
		t.Notes = append(slices.Clip(t.Notes), n)
	}
	return nil
}

func (t *memoryTables) faultUses(run, fault string) (int, error) {
	if i, found := t.findUse(run, fault); found {
		return t.FaultsUsed[i].Count, nil
	}
	return 0, nil
}

func (t *memoryTables) useFault(run, fault string) error {
	i, found := t.findUse(run, fault)
	use := FaultUse{Run: run, Fault: fault, Count: 1}
	if found {
		use.Count += t.FaultsUsed[i].Count
	}
	t.FaultsUsed = put(t.FaultsUsed, i, found, use)
	return nil
}

func (t *memoryTables) findPayment(id string) (int, bool) {
	return slices.BinarySearchFunc(t.Payments, id, func(p PaymentStatus, id string) int { return cmp.Compare(p.PaymentID, id) })
}

func (t *memoryTables) findStock(sku string) (int, bool) {
	return slices.BinarySearchFunc(t.Stock, sku, func(s Stock, sku string) int { return cmp.Compare(s.SKU, sku) })
}

func (t *memoryTables) findUse(run, fault string) (int, bool) {
	return slices.BinarySearchFunc(t.FaultsUsed, fault, func(u FaultUse, fault string) int {
		return cmp.Or(cmp.Compare(u.Run, run), cmp.Compare(u.Fault, fault))
	})
}

// put returns a new slice with v at i, in place of what is there if replace is true.
func put[T any](s []T, i int, replace bool, v T) []T {
	s = slices.Clone(s)
	if replace {
		s[i] = v
		return s
	}
	return slices.Insert(s, i, v)
}
