package provider

// Register is what the engine keeps, seen from inside one transaction of its host. Whatever the host
// commits, it commits the calls of one Do, Begin, Finish or Cancel together.
//
// Errors: any error ends the call and is returned as it is; the host rolls back.
type Register[P comparable] interface {
	// NextRequest returns the number of one more request without a key, counted from 1.
	NextRequest() (int, error)
	// Receive counts one request that arrived; r.Count is ignored.
	Receive(r Receipt[P]) error
	// Key returns what is remembered under a key.
	Key(key string) (KeyRecord[P], bool, error)
	// PutKey remembers a record, in place of an earlier one of its key.
	PutKey(KeyRecord[P]) error
	// DropKey forgets a key; an unknown one is no error.
	DropKey(key string) error
	// Append adds a change to the ledger. Its Seq is one more than the last one's.
	Append(Effect[P]) error
	// Effects returns the ledger, oldest first. The caller does not change the slice.
	Effects() ([]Effect[P], error)
	// Reverse sets ReversedAt of the change with e.Seq, and changes nothing else of it.
	Reverse(e Effect[P]) error
}
