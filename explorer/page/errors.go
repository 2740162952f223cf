package page

import "errors"

var (
	// ErrNoDocument is returned when a value is no document that a page shows.
	ErrNoDocument = errors.New("no document that a page shows")
	// ErrReport is returned when a saved report can't be read; the text around it says what is wrong, where.
	ErrReport = errors.New("this is no report that can be read")
)
