package cli

import (
	"fmt"
	"strings"
)

// maxNameBytes is the length from which on a text is no mistyped name.
const maxNameBytes = 64

// DidYouMean returns the end of a message about a mistyped name: the nearest one, or all there are.
func DidYouMean(name string, names []string) string {
	if near := Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if len(names) == 0 || len(names) > 20 {
		return ""
	}
	return "; there are " + strings.Join(names, ", ")
}

// Nearest returns the name that a mistyped one meant, empty when none is near: a third of the letters may
// be wrong, two letters that changed places count as one, and a beginning counts as its only completion.
// Ties go to the earlier name.
func Nearest(name string, names []string) string {
	if len(name) > maxNameBytes {
		return ""
	}
	best, bestSlips := "", max(len(name)/3, 1)+1
	for _, n := range names {
		if s := slips(strings.ToLower(name), strings.ToLower(n)); s < bestSlips {
			best, bestSlips = n, s
		}
	}
	if best != "" || name == "" {
		return best
	}
	for _, n := range names {
		if strings.HasPrefix(n, name) {
			if best != "" {
				return ""
			}
			best = n
		}
	}
	return best
}

// slips counts the letters to insert, delete, replace or swap with their neighbour on the way from a to b.
func slips(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
