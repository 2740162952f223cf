package planted_test

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/scenarios/planted"
)

func ExampleAudit() {
	bug, _ := planted.ByName("done-before-the-call")
	a, err := planted.Audit(context.Background(), planted.AuditOptions{Bugs: []planted.Bug{bug}, SimulateOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range a.Planted {
		fmt.Println(p.Invariant, "by", p.Plan)
	}
	// Output: lost-write by kill checkpoint.save/after#4
}
