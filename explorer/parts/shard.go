package parts

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxShards bounds how many shards a run may have.
const MaxShards = 10_000

// Shard is one of Of parts of a run, counted from 1. The zero value is the whole run.
type Shard struct{ Index, Of int }

// ParseShard reads I/N. Parsing and printing are inverse.
func ParseShard(text string) (Shard, error) {
	one, all, found := strings.Cut(text, "/")
	i, errI := strconv.Atoi(one)
	n, errN := strconv.Atoi(all)
	s := Shard{i, n}
	if !found || errI != nil || errN != nil || i < 1 || n < i || n > MaxShards || s.String() != text {
		return Shard{}, fmt.Errorf("%.40q is no shard: give I/N with I from 1 to N, such as 2/7; N is at most %d", text, MaxShards)
	}
	return s, nil
}

// String returns I/N, empty for the whole run.
func (s Shard) String() string {
	if s.Whole() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Whole reports whether there are no other parts.
func (s Shard) Whole() bool { return s.Of == 0 }

// Has reports whether the case of a number, counted from 0, is the shard's. Cases are dealt in turn, so each
// is exactly one shard's, and shards differ by one case at most.
func (s Shard) Has(number int) bool { return s.Whole() || number%s.Of == s.Index-1 }
