package provider

import (
	"slices"
	"strings"
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
	i := slices.IndexFunc(s.Received, r.same)
	if i < 0 {
		s.Received = append(slices.Clip(s.Received), r)
		return nil
	}
	s.Received = slices.Clone(s.Received)
	s.Received[i].Count++
	return nil
}

func (r Receipt[P]) same(other Receipt[P]) bool {
	r.Count = other.Count
	return r == other
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
	s.Keys = slices.Clone(s.Keys)
	if found {
		s.Keys[i] = r
	} else {
		s.Keys = slices.Insert(s.Keys, i, r)
	}
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
	return slices.BinarySearchFunc(s.Keys, key, func(r KeyRecord[P], key string) int {
		return strings.Compare(r.Key, key)
	})
}

// Append implements [Register].
func (s *State[P]) Append(e Effect[P]) error {
	s.Ledger = append(slices.Clip(s.Ledger), e)
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
