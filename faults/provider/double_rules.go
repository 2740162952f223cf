package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// The bounds of what a request may ask for, so that a hostile one costs little.
const (
	maxAmountCents = 1_000_000_00
	maxTextBytes   = 256
)

// rules returns what a Double makes of a change, given what is in its ledger: what it refuses, and which
// record a change leaves.
func rules(s *State[Payload]) Apply[Payload] {
	return func(e Effect[Payload]) (string, error) {
		if no := refusal(s, e); no != nil {
			return "", no
		}
		prefix := map[string]string{Charge: "ch_", Refund: "re_"}[e.Payload.Kind]
		sum := sha256.Sum256(fmt.Appendf(nil, "%s#%d", e.Operation, e.Seq))
		return prefix + hex.EncodeToString(sum[:8]), nil
	}
}

func refusal(s *State[Payload], e Effect[Payload]) *Refusal {
	p := e.Payload
	switch {
	case p.Kind != Charge && p.Kind != Refund:
		return &Refusal{Code: "unknown_kind", Message: fmt.Sprintf("%q is neither a charge nor a refund", p.Kind)}
	case p.Order == "" || len(p.Order) > maxTextBytes || len(p.Reason) > maxTextBytes:
		return &Refusal{Code: "invalid_order", Message: "an order and a reason have 1 to 256 bytes"}
	case p.AmountCents <= 0 || p.AmountCents > maxAmountCents:
		return &Refusal{Code: "invalid_amount", Message: fmt.Sprintf("amount %d is not 1 to %d cents", p.AmountCents, int64(maxAmountCents))}
	}
	charged, refunded := int64(0), int64(0)
	for _, other := range s.Ledger {
		if other.Payload.Order != p.Order || !other.Stands(e.At) {
			continue
		}
		if other.Payload.Kind == Charge {
			charged += other.Payload.AmountCents
		} else {
			refunded += other.Payload.AmountCents
		}
	}
	if p.Kind == Refund && charged > 0 && refunded+p.AmountCents > charged {
		return &Refusal{Code: "charge_already_refunded", Message: fmt.Sprintf("%s: %d cents are charged, %d refunded", p.Order, charged, refunded)}
	}
	return nil
}
