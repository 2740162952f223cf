// Package services holds Larkfield's practice services: orders, payment, shipping, ticket notes and
// policy. They are the world outside the resolver, with the rules and refusals of the course's own.
//
//   - Over a file: [Create], [Open], [Reset], [ReadImage]. In memory: [NewMemory], [Memory.Snapshot], [Memory.Restore].
//   - What a caller gets: [World.Services], for one [Caller]; what happened: [World.Changes], [World.Ledger];
//     a request that is still being worked on: [World.Hold], [World.Deliver].
//   - Over HTTP: [NewHandler], [NewClient]; the kill during a call comes from a [Gate].
//   - What goes wrong on purpose: [Fault], [ParseFault]; of one request, provider.WithKnobs.
//
// The rules are written once, over the tables of a small interface; memory and SQLite only store.
//
// Import rule: resolver, resolver/larkfield, resolver/statements, faults/provider and the SQLite driver.
package services
