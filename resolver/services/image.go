package services

import (
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// Image is everything the services remember beyond the data they began with. Equal images behave alike;
// one is taken from memory by [Memory.Snapshot] and from a file by [ReadImage].
//
// Shape: the zero value is a world just reset. Ledger and Notes are in the order of their making,
// Payments, Stock and FaultsUsed by their ids. Nobody changes an image: a later state is another one.
type Image struct {
	provider.State[resolver.Action]
	// Payments and Stock hold what changes have touched, as it is now.
	Payments   []PaymentStatus `json:"payments,omitempty"`
	Stock      []Stock         `json:"stock,omitempty"`
	Notes      []Note          `json:"notes,omitempty"`
	FaultsUsed []FaultUse      `json:"faults_used,omitempty"`
}

// PaymentStatus is the status of a payment that a refund named.
type PaymentStatus struct {
	PaymentID string `json:"payment_id"`
	Status    string `json:"status"`
}

// Stock is what is left of a product that was reshipped.
type Stock struct {
	SKU   string `json:"sku"`
	Stock int    `json:"stock"`
}
