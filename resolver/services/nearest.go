package services

import "fmt"

// didYouMean returns a question with the name nearest to what was written, or nothing when none is near.
func didYouMean(text string, names []string) string {
	best, bestDistance := "", max(len(text)/2, 2)+1
	for _, name := range names {
		if d := distance(text, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	if best == "" {
		return fmt.Sprintf("; there are %v", names)
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance is the number of letters to insert, delete or replace on the way from a to b.
func distance(a, b string) int {
	if len(a) > maxNameBytes {
		a = a[:maxNameBytes]
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// maxNameBytes bounds the work for a text that is no name at all.
const maxNameBytes = 64
