// Package baseline is the ratchet: the classes of violations that are known, so that only new ones fail a
// check, and so that one which is gone is said to be gone.
//
//   - [Class] is a kind of violation, the same whatever else changes.
//   - [Parse] reads a baseline, which is hostile until it is parsed; [Baseline.Encode] writes one.
//   - [Baseline.Compare] holds searches against it; [Baseline.Update] is the baseline after them.
//
// It imports explorer/history and faults.
package baseline
