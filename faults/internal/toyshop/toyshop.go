// Package toyshop is the smallest program that pays twice, in memory, for examples and tests. It imports only
// faults.
package toyshop

import "github.com/paytwice/paytwice/faults"

// World is what outlasts the program: how often each item was charged, and which ones it has marked as paid.
type World struct {
	// ByKey makes the provider charge an item once, however often it is asked.
	ByKey   bool
	Charged map[string]int
	marked  map[string]bool
}

// New returns a world in which nothing was charged.
func New() *World { return &World{Charged: map[string]int{}, marked: map[string]bool{}} }

// Pay is one life of the program: for each item that isn't marked it charges, then marks. Its points are
// shop.charge and shop.mark, before and after.
func (w *World) Pay(in *faults.Injector, cart []string) error {
	for _, item := range cart {
		if w.marked[item] {
			continue
		}
		if err := w.call(in, "charge", func() { w.charge(item) }); err != nil {
			return err
		}
		if err := w.call(in, "mark", func() { w.marked[item] = true }); err != nil {
			return err
		}
	}
	return nil
}

// Run runs lives until one ends undisturbed.
func (w *World) Run(plan faults.Plan, cart []string) error {
	for i := 0; ; i++ {
		in := faults.NewInjector(plan.Life(i), faults.Options{})
		_, crashed, err := in.Catch(func() error { return w.Pay(in, cart) })
		if !crashed {
			return err
		}
	}
}

// Twice returns the first item of a cart that was charged more than once, empty when none was.
func (w *World) Twice(cart []string) string {
	for _, item := range cart {
		if w.Charged[item] > 1 {
			return item
		}
	}
	return ""
}

func (w *World) charge(item string) {
	if w.ByKey && w.Charged[item] > 0 {
		return
	}
	w.Charged[item]++
}

func (w *World) call(in *faults.Injector, operation string, do func()) error {
	call, err := in.Enter(faults.Site{Seam: "shop", Operation: operation})
	if err != nil {
		return err
	}
	call.At(faults.Before)
	do()
	call.At(faults.After)
	return nil
}
