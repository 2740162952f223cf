package faults

import (
	"fmt"
	"strconv"
	"strings"
)

// Site is one operation of a seam, an interface across which effects and answers travel.
type Site struct {
	Seam      string
	Operation string
}

func (s Site) String() string { return s.Seam + "." + s.Operation }

// Position is where around a call a point lies, in the order in which a call passes them.
type Position int

// The positions around one call.
const (
	// Before: nothing was sent.
	Before Position = iota
	// DuringLost: it was sent, and never done.
	DuringLost
	// During: it was sent and done, and the answer was never seen.
	During
	// After: the answer was seen, and nothing else done.
	After
)

var positionNames = [...]string{"before", "during-lost", "during", "after"}

func (p Position) String() string {
	if p < 0 || int(p) >= len(positionNames) {
		return fmt.Sprintf("position(%d)", int(p))
	}
	return positionNames[p]
}

// ParsePosition returns the position of a name.
func ParsePosition(name string) (Position, bool) {
	for i, n := range positionNames {
		if n == name {
			return Position(i), true
		}
	}
	return 0, false
}

// Point is a position around the N-th call of one operation in one life, counted from 1. The zero Point
// is no point.
type Point struct {
	Site
	Position Position
	N        int
}

func (p Point) String() string { return fmt.Sprintf("%s/%s#%d", p.Site, p.Position, p.N) }

// Name returns the point without its number, as classes of points are named.
func (p Point) Name() string { return fmt.Sprintf("%s/%s", p.Site, p.Position) }

// MaxN bounds the number of a point, and with it what a hostile plan can ask for.
const MaxN = 1_000_000

// ParsePoint returns the point of its text form.
//
//	point     = seam "." operation "/" position "#" n
//	operation = name [ "[" path "]" ]
//	name      = lower-case letter { lower-case letter | digit | "_" | "-" }
//
// A path holds any printable character but blanks, brackets and commas; others stand as %XX.
func ParsePoint(text string) (Point, error) {
	name, number, ok := cutLast(text, '#')
	if !ok {
		return Point{}, fmt.Errorf("point %q has no #number", text)
	}
	site, position, ok := cutLast(name, '/')
	if !ok {
		return Point{}, fmt.Errorf("point %q has no /position", text)
	}
	p := Point{}
	if p.Position, ok = ParsePosition(position); !ok {
		return Point{}, fmt.Errorf("point %q: position %q is not one of %s", text, position, strings.Join(positionNames[:], ", "))
	}
	var err error
	if p.Site, err = ParseSite(site); err != nil {
		return Point{}, fmt.Errorf("point %q: %w", text, err)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > MaxN || strconv.Itoa(n) != number {
		return Point{}, fmt.Errorf("point %q: number %q is not 1 to %d", text, number, MaxN)
	}
	p.N = n
	return p, nil
}

// ParseSite returns the site of its text form, seam.operation.
func ParseSite(text string) (Site, error) {
	seam, operation, ok := strings.Cut(text, ".")
	if !ok || !isName(seam) || !isOperation(operation) {
		return Site{}, fmt.Errorf("%q is not seam.operation", text)
	}
	return Site{seam, operation}, nil
}

func isOperation(text string) bool {
	name, path, bracket := strings.Cut(text, "[")
	if !isName(name) {
		return false
	}
	if !bracket {
		return true
	}
	path, ok := strings.CutSuffix(path, "]")
	if !ok || path == "" {
		return false
	}
	for _, r := range path {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune("[],;#", r) {
			return false
		}
	}
	return true
}

func isName(text string) bool {
	for i, r := range text {
		lower := r >= 'a' && r <= 'z'
		other := r >= '0' && r <= '9' || r == '_' || r == '-'
		if !lower && (i == 0 || !other) {
			return false
		}
	}
	return text != "" && len(text) <= 64
}

func cutLast(text string, sep byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}
