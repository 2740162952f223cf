package graphnode_test

import (
	"context"
	"fmt"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/scenarios/graphnode"
)

// The lesson's table: what one pause does to each form of the node, without any kill.
func Example() {
	for _, s := range graphnode.Scenarios() {
		world, err := s.Simulate(s.Setting)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := explorer.Replay(context.Background(), world, nil, explorer.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		refunds, err := graphnode.Refunds(r.End)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-29s node runs %d, refunds %d\n", s.Name, graphnode.NodeRuns(r.History), len(refunds))
	}
	// Output:
	// graph-node                    node runs 2, refunds 1
	// graph-node/new-id             node runs 2, refunds 2
	// graph-node/write-after        node runs 2, refunds 1
	// graph-node/write-after-new-id node runs 2, refunds 1
}
