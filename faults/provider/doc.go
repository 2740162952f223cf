// Package provider is a service's side of idempotency: one engine that treats a repeated or late request
// as some real service does, and a ledger of every change it made.
//
// # A provider for a test
//
// [New] starts one that listens as long as the test lasts, in plain JSON and in Stripe's form for refunds, so
// that Stripe's own client works against it unchanged:
//
//	s := provider.New(t, provider.ReplayAll())
//	s.Next(provider.Knobs{Trouble: provider.LoseAfter}) // the first answer is lost
//	refund(ctx, s.URL, "order-1")
//	// judge s.Ledger(), the changes that were made, and s.Received(), the requests that came
//
// [Server.Advance] moves its clock, so that keys expire, and [Server.Hold] keeps a request under way, so that
// its key is in flight. [Double] is the same without a listener, for a handler of one's own.
//
// # What services do
//
// A [Profile] says how a service treats repeats: [Profiles], [ByName], and one constructor each, from [ReplayAll]
// to [Larkfield]. It is a plain value; a changed field is a service that nobody runs.
//
// # The engine
//
//   - One request: [Request], [Answer], [Engine.Do]; in two halves, [Engine.Begin] and [Engine.Finish].
//   - Afterwards: [Engine.Find], [Engine.Recent], [Engine.Cancel].
//   - What is kept: [Register], the interface of a host's transaction, and [State], the one in memory.
//   - What goes wrong on purpose: [Knobs], a value that travels with one request.
//
// The engine has no clock, no goroutine and no randomness of its own. It works inside a transaction of
// its host, so that the record of a key and the change made under it are committed together or not at
// all.
//
// Import rule: the standard library only.
package provider
