// Package provider is a service's side of idempotency: one engine that treats a repeated or late request
// as some real service does, and a ledger of every change it made.
//
//   - What a service does: [Profile], [Profiles], [ByName]; one constructor each, from [ReplayAll] to [Larkfield].
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
