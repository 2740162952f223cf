// Package rapidplan draws plans for pgregory.net/rapid, so that a property combines its own inputs with
// crashes and both are shrunk.
//
//   - [Plans] draws plans over the points that an undisturbed life passes (faults.Survey finds them). They
//     shrink to fewer events at earlier points, the plan without lives being the smallest.
//   - [Machine] is the state machine form: each action runs under crashes, and again after them.
//
// A property runs its program once for each life of the plan and once more, and must get the same answers
// whenever it is given the same draws: rapid says flaky test otherwise.
//
// It imports faults and rapid.
package rapidplan
