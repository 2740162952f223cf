// Package gopterplan draws plans for github.com/leanovate/gopter, so that a property combines its own inputs
// with crashes and both are shrunk.
//
//   - [Indices] draws a plan as numbers, and [Plan] reads them over the points of a life: gopter shrinks what
//     a generator drew, not what is made of it, so a property takes the numbers.
//   - [Plans] draws plans over points that are known beforehand.
//   - [Commands] is the state machine form: each command runs under crashes, and again after them.
//
// It imports faults and gopter.
package gopterplan
