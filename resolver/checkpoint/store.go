package checkpoint

import (
	"context"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// Store is what both stores offer beyond resolver.Store.
type Store interface {
	resolver.Store

	// LatestRun returns the id of the run of a ticket that was created last. resolver.ErrUnknownRun
	// when the ticket has none.
	LatestRun(ctx context.Context, ticketID string) (string, error)
	// NextRunID returns the first free number's id for a ticket, variant and model: one above the
	// highest ever used, pruned runs among them. Two callers may get the same id; Create lets one of
	// them have it and tells the other ErrRunExists, who asks again.
	NextRunID(ctx context.Context, ticketID, variant, model string) (string, error)

	// Prune deletes the final runs last saved before olderThan and returns how many. A run whose lease
	// a live process holds stays. Ids of pruned runs are never used again, and the trail, which holds
	// no customer's text, stays whole. An error other than ErrNotVacuumed means that nothing was deleted.
	Prune(ctx context.Context, olderThan time.Time) (int, error)

	// TrailWhole says whether the trail is complete and unchanged. ErrTrailBroken says where it breaks.
	TrailWhole(ctx context.Context) error
	// Image returns everything in the store at one moment.
	Image(ctx context.Context) (*Image, error)
	// Check is the full check: structure, trail, every state, every column, every lease. Tests call it
	// when they clean up.
	Check(ctx context.Context) error

	// Durable reports whether what is saved survives the process.
	Durable() bool
	// Close gives back what the store holds open. What was saved stays saved.
	Close() error
}

var (
	_ Store = (*SQLite)(nil)
	_ Store = (*Memory)(nil)
)
