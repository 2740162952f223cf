package resolver

import "strings"

// The forms of names are told without regular expressions: compiling those at every start would cost a
// short-lived process more than it ever asks of them.
const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// maxName bounds a name in bytes.
const maxName = 40

// IsOrderID reports whether a text has the form of an order's id, LK- and six digits.
func IsOrderID(text string) bool {
	number, ok := strings.CutPrefix(text, "LK-")
	return ok && len(number) == 6 && consistsOf(number, digits)
}

// IsName reports whether a text has the form of an id, a code or a status: a letter or a digit of ASCII, and
// up to 39 more, or underscores, dots and hyphens.
func IsName(text string) bool {
	return text != "" && len(text) <= maxName && consistsOf(text[:1], letters+digits) && consistsOf(text, letters+digits+"_.-")
}

func consistsOf(text, of string) bool { return strings.Trim(text, of) == "" }
