package resolver

import (
	"fmt"
	"strconv"
	"strings"
)

// Currency is the only currency Larkfield trades in.
const Currency = "CAD"

// MaxAmountCents is the largest amount one refund may name, in cents.
const MaxAmountCents = 5000_00

// FormatCents returns an amount as people read it, with two decimals: 995 gives "9.95".
func FormatCents(cents int64) string {
	sign, amount := "", uint64(cents)
	if cents < 0 {
		sign, amount = "-", -amount
	}
	return fmt.Sprintf("%s%d.%02d", sign, amount/100, amount%100)
}

// ParseCents returns the cents in a decimal amount such as "9.95", "119" or "22.0".
//
// Errors: an amount with a sign, an exponent, more than two decimals or more than nine digits
// before the point is refused, since rounding money would change what was meant.
func ParseCents(text string) (int64, error) {
	whole, frac, _ := strings.Cut(text, ".")
	if whole == "" || len(whole) > 9 || !allDigits(whole) || !allDigits(frac) {
		return 0, fmt.Errorf("%q is not an amount such as 9.95", text)
	}
	if strings.HasSuffix(text, ".") {
		return 0, fmt.Errorf("%q is not an amount such as 9.95", text)
	}
	for len(frac) > 2 && strings.HasSuffix(frac, "0") {
		frac = frac[:len(frac)-1]
	}
	if len(frac) > 2 {
		return 0, fmt.Errorf("%q has more than two decimals", text)
	}
	for len(frac) < 2 {
		frac += "0"
	}
	return strconv.ParseInt(whole+frac, 10, 64)
}

func allDigits(text string) bool {
	for _, r := range text {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}
