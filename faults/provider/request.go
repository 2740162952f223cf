package provider

import "time"

// Request is one write request as it arrives. P is what it asks for, compared with ==.
type Request[P comparable] struct {
	// Key is the caller's name for the change, or empty: the service then names the request itself.
	Key string
	// Scope is the region or account that the request was sent to; it matters to scoped keys only.
	Scope   string
	Tool    string
	Caller  string
	Payload P
	Knobs   Knobs
}

// Refusal is the error with which the host's rules say no: nothing was changed.
type Refusal struct{ Code, Message string }

func (r *Refusal) Error() string { return r.Message }

// Answer is what a request is answered.
type Answer struct {
	// Status is 200, 400, 409, 422, 500 or 503; 0 says that no answer reaches the caller.
	Status  int    `json:"status"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Record, Operation, Seq and At name the change that the answer speaks of: its record, the request's
	// name, its number in the ledger, and when it was made.
	Record    string    `json:"record,omitempty"`
	Operation string    `json:"operation,omitempty"`
	Seq       int       `json:"seq,omitempty"`
	At        time.Time `json:"at,omitzero"`
	// Repeated: the answer is an earlier request's; nothing changed this time.
	Repeated bool `json:"repeated,omitempty"`
	// Reversed: the change was confirmed once and does not stand any more.
	Reversed bool `json:"reversed,omitempty"`
	// Transient: the service says that the same key may be tried again.
	Transient bool `json:"transient,omitempty"`
}

// OK reports whether the answer says that the change was made.
func (a Answer) OK() bool { return a.Status == 200 }

// Effect is one change that was made: a line of the ledger.
//
// Units: Seq counts from 1. Lag is how much longer than usual look-ups don't see it.
type Effect[P comparable] struct {
	Seq int       `json:"seq"`
	At  time.Time `json:"at"`
	// Operation is the key, or request-N for the N-th request without one.
	Operation string        `json:"operation_id"`
	Key       string        `json:"key,omitempty"`
	Caller    string        `json:"caller,omitempty"`
	Tool      string        `json:"tool"`
	Record    string        `json:"record_id"`
	Payload   P             `json:"payload"`
	Lag       time.Duration `json:"lag_ns,omitempty"`
	// ReversedAt is when the change stopped standing; zero while nothing takes it back.
	ReversedAt time.Time `json:"reversed_at,omitzero"`
}

// Stands reports whether the change is in force at a moment.
func (e Effect[P]) Stands(at time.Time) bool {
	return e.ReversedAt.IsZero() || at.Before(e.ReversedAt)
}

// KeyRecord is what is remembered under one key.
type KeyRecord[P comparable] struct {
	// Key is the caller's key, with the scope before it where keys are scoped.
	Key     string `json:"key"`
	Tool    string `json:"tool"`
	Caller  string `json:"caller,omitempty"`
	Payload P      `json:"payload"`
	// Open: a request under the key is still being worked on.
	Open    bool      `json:"open,omitempty"`
	FirstAt time.Time `json:"first_at"`
	DoneAt  time.Time `json:"done_at,omitzero"`
	Answer  Answer    `json:"answer"`
}

// Receipt counts the requests that arrived under one name with one payload, whatever became of them.
type Receipt[P comparable] struct {
	Operation string `json:"operation_id"`
	Caller    string `json:"caller,omitempty"`
	Tool      string `json:"tool"`
	Payload   P      `json:"payload"`
	Count     int    `json:"count"`
}
