package checkpoint

import (
	"strconv"
	"strings"

	"github.com/paytwice/paytwice/resolver"
)

// nextNumber returns the id one above the highest number among ids of a ticket, variant and model. It
// is the highest that counts, not how many there are: pruned runs leave gaps.
func nextNumber(ids []string, ticketID, variant, model string) string {
	prefix := numberPrefix(ticketID, variant, model)
	highest := 0
	for _, id := range ids {
		digits, ours := strings.CutPrefix(id, prefix)
		n, err := strconv.Atoi(digits)
		// Only the form that RunID prints is a number: "-01" or "-+1" was somebody's own choice.
		if ours && err == nil && n > highest && strconv.Itoa(n) == digits {
			highest = n
		}
	}
	return resolver.RunID(ticketID, variant, model, highest+1)
}

func numberPrefix(ticketID, variant, model string) string {
	return strings.TrimSuffix(resolver.RunID(ticketID, variant, model, 0), "0")
}
