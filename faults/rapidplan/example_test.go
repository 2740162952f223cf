package rapidplan_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/toyshop"
	"github.com/paytwice/paytwice/faults/rapidplan"
)

// A cart is paid by a program that charges each item and then marks it. Whatever the cart and wherever the
// program is killed, nothing may be charged twice: rapid finds that it is, and shrinks both.
func Example() {
	var smallestCart []string
	var smallestPlan faults.Plan
	rapid.Check(quiet{}, func(t *rapid.T) {
		cart := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"book", "lamp", "pen", "tea"}), 0, 4, rapid.ID).Draw(t, "cart")
		points, err := faults.Survey(func(in *faults.Injector) error { return toyshop.New().Pay(in, cart) })
		if err != nil {
			t.Fatal(err)
		}
		plan := rapidplan.Plans(points, rapidplan.Options{}).Draw(t, "plan")

		world := toyshop.New()
		if err := world.Run(plan, cart); err != nil {
			t.Fatal(err)
		}
		if item := world.Twice(cart); item != "" {
			smallestCart, smallestPlan = cart, plan // rapid runs the smallest last
			t.Fatalf("%s was charged twice", item)
		}
	})
	fmt.Println("cart:", smallestCart)
	fmt.Println("plan:", smallestPlan)
	// Output:
	// cart: [book]
	// plan: kill shop.charge/after#1
}

// The same as a state machine: orders come one by one, each paid under crashes.
func ExampleMachine() {
	var smallestPlan faults.Plan
	var orders []string
	rapid.Check(quiet{}, func(t *rapid.T) {
		world := toyshop.New()
		var life *faults.Injector
		var paid []string
		machine := rapidplan.Machine{
			Start: func(in *faults.Injector) error { life = in; return nil },
			Actions: map[string]func(*rapid.T) func() error{
				"pay": func(t *rapid.T) func() error {
					item := fmt.Sprintf("%s-%d", rapid.SampledFrom([]string{"book", "lamp"}).Draw(t, "item"), len(paid)+1)
					paid = append(paid, item)
					return func() error { return world.Pay(life, []string{item}) }
				},
			},
			Check: func(t *rapid.T) {
				if item := world.Twice(paid); item != "" {
					orders = paid
					t.Fatalf("%s was charged twice", item)
				}
			},
			Ended: func(plan faults.Plan) { smallestPlan = plan },
		}
		machine.Run(t)
	})
	fmt.Println("orders:", orders)
	fmt.Println("plan:", smallestPlan)
	// Output:
	// orders: [book-1]
	// plan: kill shop.charge/after#1
}

// quiet is a test whose failure is expected; in a program's own tests it is the *testing.T.
type quiet struct{}

func (quiet) Helper()               {}
func (quiet) Name() string          { return "Example" }
func (quiet) Log(...any)            {}
func (quiet) Logf(string, ...any)   {}
func (quiet) Skip(...any)           {}
func (quiet) Skipf(string, ...any)  {}
func (quiet) SkipNow()              {}
func (quiet) Error(...any)          {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatal(...any)          {}
func (quiet) Fatalf(string, ...any) {}
func (quiet) FailNow()              {}
func (quiet) Fail()                 {}
func (quiet) Failed() bool          { return false }

var _ rapid.TB = quiet{}
