package services

import (
	"context"

	"github.com/paytwice/paytwice/resolver"
)

// warehouse implements [resolver.Warehouse].
type warehouse struct{ register }

// ReshipItem implements [resolver.Warehouse].
func (h warehouse) ReshipItem(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return h.write(ctx, resolver.ReshipItem, w)
}

// CreateReturnLabel implements [resolver.Warehouse].
func (h warehouse) CreateReturnLabel(ctx context.Context, w resolver.WriteRequest) (resolver.Change, error) {
	return h.write(ctx, resolver.CreateReturnLabel, w)
}
