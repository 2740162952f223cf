package provider

import (
	"slices"
	"sort"
)

// State is a register in memory. It is also the plain value that says what the service remembers: it
// can be compared, written as JSON and read from a database.
//
// Shape: Keys by key, Ledger by Seq, Received in the order of the first arrival. A method that changes
// a slice makes a new one, so a copy of the struct is a snapshot that no later change reaches.
// Concurrency: none; the host's transaction is the lock.
type State[P comparable] struct {
	Requests int            `json:"requests,omitempty"`
	Keys     []KeyRecord[P] `json:"keys,omitempty"`
	Ledger   []Effect[P]    `json:"ledger,omitempty"`
	Received []Receipt[P]   `json:"received,omitempty"`
}

// NextRequest implements [Register].
func (s *State[P]) NextRequest() (int, error) {
	s.Requests++
	return s.Requests, nil
}

// Receive implements [Register].
func (s *State[P]) Receive(r Receipt[P]) error {
	r.Count = 1
	for i := range s.Received {
		if s.Received[i].same(&r) {
			s.Received = slices.Clone(s.Received)
			s.Received[i].Count++
			return nil
		}
	}
	s.Received = with(s.Received, len(s.Received), r)
	return nil
}

// same reports whether two are of one request; most differ in the first field.
func (r *Receipt[P]) same(other *Receipt[P]) bool {
	if r.Operation != other.Operation {
		return false
	}
	o := *other
	o.Count = r.Count
	return *r == o
}

// with returns a new slice that has one more element at a place, and no room beyond.
func with[T any](s []T, at int, v T) []T {
	out := make([]T, len(s)+1)
	copy(out, s[:at])
	out[at] = v
	copy(out[at+1:], s[at:])
	return out
}

// Key implements [Register].
func (s *State[P]) Key(key string) (KeyRecord[P], bool, error) {
	i, found := s.find(key)
	if !found {
		return KeyRecord[P]{}, false, nil
	}
	return s.Keys[i], true, nil
}

// PutKey implements [Register].
func (s *State[P]) PutKey(r KeyRecord[P]) error {
	i, found := s.find(r.Key)
	if !found {
		s.Keys = with(s.Keys, i, r)
		return nil
	}
	s.Keys = slices.Clone(s.Keys)
	s.Keys[i] = r
	return nil
}

// DropKey implements [Register].
func (s *State[P]) DropKey(key string) error {
	if i, found := s.find(key); found {
		s.Keys = slices.Delete(slices.Clone(s.Keys), i, i+1)
	}
	if len(s.Keys) == 0 {
		s.Keys = nil // so that a state equals one that never had a key
	}
	return nil
}

func (s *State[P]) find(key string) (int, bool) {
	i := sort.Search(len(s.Keys), func(i int) bool { return s.Keys[i].Key >= key }) // the records are large
	return i, i < len(s.Keys) && s.Keys[i].Key == key
}

// Append implements [Register].
func (s *State[P]) Append(e Effect[P]) error {
	s.Ledger = with(s.Ledger, len(s.Ledger), e)
	return nil
}

// Effects implements [Register].
func (s *State[P]) Effects() ([]Effect[P], error) { return s.Ledger, nil }

// Reverse implements [Register].
func (s *State[P]) Reverse(e Effect[P]) error {
	s.Ledger = slices.Clone(s.Ledger)
	s.Ledger[e.Seq-1].ReversedAt = e.ReversedAt
	return nil
}
