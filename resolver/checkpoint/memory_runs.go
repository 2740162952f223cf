package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// LatestRun returns the id of the run of a ticket that was created last.
func (m *Memory) LatestRun(ctx context.Context, ticketID string) (string, error) {
	list, err := m.List(ctx)
	if err != nil {
		return "", err
	}
	for _, s := range slices.Backward(list) {
		if s.TicketID == ticketID {
			return s.RunID, nil
		}
	}
	return "", m.fail("latest run of ticket "+ticketID, "", resolver.ErrUnknownRun)
}

// NextRunID returns the id of the next run of a ticket, variant and model.
func (m *Memory) NextRunID(ctx context.Context, ticketID, variant, model string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", m.fail("next run of ticket "+ticketID, "", err)
	}
	img := m.Snapshot()
	ids := slices.Clone(img.Pruned)
	for _, row := range img.Rows {
		ids = append(ids, row.RunID)
	}
	return nextNumber(ids, ticketID, variant, model), nil
}

// Prune deletes finished runs. Images taken before still hold them.
func (m *Memory) Prune(ctx context.Context, olderThan time.Time) (int, error) {
	var gone []string
	err := m.write(ctx, "prune", "", func(now time.Time) error {
		for _, row := range m.img.Rows {
			d, err := row.document()
			if err != nil {
				return fmt.Errorf("run %s: %w", row.RunID, err)
			}
			held, _ := m.leaseAt(row.RunID)
			if prunable(d.summary(), olderThan) && !held.heldAt(now, m.opts.Alive) {
				gone = append(gone, row.RunID)
			}
		}
		m.drop(gone)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return len(gone), nil
}

// drop takes runs and their leases away, and keeps their ids.
func (m *Memory) drop(gone []string) {
	isGone := func(id string) bool { _, ok := slices.BinarySearch(gone, id); return ok } // Rows are sorted, so gone is.
	m.img.Rows = slices.DeleteFunc(m.img.Rows, func(r *Row) bool { return isGone(r.RunID) })
	m.img.Leases = slices.DeleteFunc(m.img.Leases, func(l LeaseRow) bool { return isGone(l.RunID) })
	m.img.Pruned = append(m.img.Pruned, gone...)
	slices.Sort(m.img.Pruned)
	clear(m.known) // It holds what the runs held of customers.
}

// TrailWhole says whether the trail is whole.
func (m *Memory) TrailWhole(context.Context) error {
	return m.fail("check the trail", "", VerifyTrail(m.Snapshot().Trail))
}

// Check is the full check of everything in the store.
func (m *Memory) Check(context.Context) error {
	return m.fail("check", "", m.Snapshot().Check())
}
