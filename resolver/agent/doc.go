// Package agent is the decision loop: it turns a ticket into a proposal, one model call a step, and
// replays recorded decisions. It changes nothing outside the process: its tools are reads.
//
// It imports resolver of this module, nothing else.
//
//   - [Loop] runs a ticket in one of two [Variants]: "agent" asks by tool calls, "agent_structured" by one
//     JSON object. [Limits] bounds it, and it ends with exactly one of the Stop constants.
//   - [Recordings] answers from recorded calls, [Recorder] writes them down; [RequestKey] joins the two.
//   - [Cost] prices a call; [StateDigest] names the evidence so far; [Clean] makes untrusted text safe to
//     print.
//
// Everything that comes from a model, a ticket or a service is data. It is checked before it is used, kept
// as it came, and never obeyed.
package agent
