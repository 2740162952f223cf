package blackbox

import "context"

// Provider is a service outside the program whose changes are judged: it lives as long as a case, not as
// long as the program.
type Provider interface {
	// Start returns a service for one case: fresh, or in a state that Snapshot returned.
	//
	// Concurrency: called from several workers at a time.
	Start(ctx context.Context, state any) (Service, error)
}

// Service is a provider during one case.
type Service interface {
	// Env returns what the program's environment needs to find the service.
	Env() []string
	// Settle returns once the requests in flight have had their effect; called after every kill.
	Settle(ctx context.Context) error
	// Snapshot returns the state, which nothing changes afterwards, and a key that equal states share.
	Snapshot() (state any, key string)
	// Ledger returns one text per effect, in order.
	Ledger() []string
	// Changed reports whether there was any effect, also one that was taken back since.
	Changed() bool
	// Close ends the service.
	Close() error
}

// noService is the service of a program that calls none.
type noService struct{}

func (noService) Env() []string                { return nil }
func (noService) Settle(context.Context) error { return nil }
func (noService) Snapshot() (any, string)      { return nil, "" }
func (noService) Ledger() []string             { return nil }
func (noService) Changed() bool                { return false }
func (noService) Close() error                 { return nil }

func (b *bench) startProvider(ctx context.Context, state any) (Service, error) {
	if b.cfg.Provider == nil {
		return noService{}, nil
	}
	return b.cfg.Provider.Start(ctx, state)
}
