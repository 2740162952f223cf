package gopterplan_test

import (
	"fmt"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/commands"
	"github.com/leanovate/gopter/gen"
	"github.com/leanovate/gopter/prop"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/gopterplan"
	"github.com/paytwice/paytwice/faults/internal/toyshop"
)

// A cart is paid by a program that charges each item and then marks it. Whatever the cart and wherever the
// program is killed, nothing may be charged twice: gopter finds that it is, and shrinks both.
func Example() {
	property := prop.ForAll(func(items []bool, indices []int) (string, error) {
		cart := cartOf(items)
		points, err := faults.Survey(func(in *faults.Injector) error { return toyshop.New().Pay(in, cart) })
		if err != nil {
			return "", err
		}
		plan := gopterplan.Plan(points, indices, gopterplan.Options{})
		world := toyshop.New()
		if err := world.Run(plan, cart); err != nil {
			return "", err
		}
		if item := world.Twice(cart); item != "" {
			return fmt.Sprintf("cart %v, plan %s: %s charged twice", cart, plan, item), nil
		}
		return "", nil
	}, gen.SliceOfN(3, gen.Bool().WithShrinker(towardsFalse)), gopterplan.Indices(gopterplan.Options{}))

	result := property.Check(gopter.DefaultTestParametersWithSeed(1))
	fmt.Println(result.Status)
	fmt.Println(result.Labels[0])
	// Output:
	// FAILED
	// cart [book], plan kill shop.charge/after#1: book charged twice
}

// cartOf returns the items that are chosen.
func cartOf(items []bool) (cart []string) {
	for i, chosen := range items {
		if chosen {
			cart = append(cart, []string{"book", "lamp", "tea"}[i])
		}
	}
	return cart
}

// towardsFalse takes an item out of the cart.
func towardsFalse(v interface{}) gopter.Shrink {
	left := v.(bool)
	return func() (interface{}, bool) {
		was := left
		left = false
		return false, was
	}
}

// shop is the same program as a state machine: it is killed and started again.
type shop struct {
	world *toyshop.World
	life  *faults.Injector
}

func (s *shop) Start(in *faults.Injector) error { s.life = in; return nil }

// order pays one item; the state counts the orders.
type order string

func (o order) Run(sut commands.SystemUnderTest) commands.Result {
	s := sut.(*shop)
	if err := s.world.Pay(s.life, []string{string(o)}); err != nil {
		return err
	}
	return s.world.Twice([]string{string(o)})
}

func (o order) NextState(state commands.State) commands.State { return state.(int) + 1 }
func (o order) PreCondition(commands.State) bool              { return true }
func (o order) String() string                                { return "Pay(" + string(o) + ")" }

func (o order) PostCondition(_ commands.State, result commands.Result) *gopter.PropResult {
	return gopter.NewPropResult(result == "", fmt.Sprintf("%v charged twice", result))
}

func ExampleCommands() {
	orders := &commands.ProtoCommands{
		NewSystemUnderTestFunc: func(commands.State) commands.SystemUnderTest { return &shop{world: toyshop.New()} },
		InitialStateGen:        gen.Const(0),
		GenCommandFunc: func(state commands.State) gopter.Gen {
			item := order(fmt.Sprintf("order-%d", state))
			return gen.Const(item).Map(func(o order) commands.Command { return o })
		},
	}
	parameters := gopter.DefaultTestParametersWithSeed(1)
	parameters.MaxSize = 8
	result := commands.Prop(gopterplan.Commands(orders, gopterplan.Options{})).Check(parameters)
	fmt.Println(result.Status, result.Args[0].ArgFormatted)
	// Output:
	// FAILED initialState=0 sequential=[Pay(order-0) killed after points [2]]
}
