// Package explorer kills a program at every point around its effects, starts it again, kills the recovery,
// too, and finds the smallest plan of kills that breaks something.
//
// # Your own program
//
// Write one incarnation of the program as a function and hand it to [Test]:
//
//	func TestRefundOnce(t *testing.T) {
//		explorer.Test(t, explorer.Program{
//			Provider: provider.ReplayAll(),
//			Run: func(ctx context.Context, env *explorer.Env) error {
//				return Refund(ctx, env.Dir(), env.HTTPClient(), env.ProviderURL(), "order-1")
//			},
//			Want: explorer.ExactlyOnce("order-1"),
//		})
//	}
//
// Run is called in a child process, the test binary started again, which gets a real SIGKILL. What it keeps
// in variables is gone then; [Env.Dir] and the provider stay. It is called again until it returns nil, and Want
// judges the provider's ledger, which is in the parent. A t.Error in Run fails the test, too.
//
// A kill ends the whole process group, as the end of a container does. What a process that the program started
// would still do after the program's death is not tried.
//
// Points come from what is wrapped: [Env.HTTPClient], or a transport of faults/httpfault, a database of
// faults/sqlfault, files of faults/filefault. The provider adds those during a call, and faults.Here is a point
// of the program's own.
//
// A failure shows the smallest plan, the lives, the lines of code on both sides of the kill, and a command that
// replays it by [EnvPlan]. A test of a program that is known to be broken asserts on what [Find] returns. [EnvCoverage]
// collects the points that no plan of a package killed at.
//
// What could not be checked fails, too: no point, a kill that did not land, a provider that was never called, two
// undisturbed runs that differ, a Want that can't fail, a goroutine or a process left behind. So does a program
// that survives every kill and breaks when it is started once more, unless [Program].RunsOnce.
//
// The go command keeps the result of a test that passed until something changes that the test has read, and
// what the children read counts. It knows nothing of what other processes read, nor of files outside the module:
// -count=1 runs the test in any case.
//
// # The search
//
// A [World] runs one incarnation of a program from a durable state; [Explore] enumerates and merges the states
// that crashes leave and finds the smallest counterexample; [Replay] runs one plan from its start. The search
// knows nothing of what it runs: in memory, in a child process, or a program under a tracer.
//
// It imports faults and its own sub-packages, neither scenarios nor resolver.
package explorer
