package parts

import "fmt"

// WrongError is returned when a file is no report, or none that goes with the others.
type WrongError struct {
	File string
	Err  error
}

func (e *WrongError) Error() string { return fmt.Sprintf("%s: %v", e.File, e.Err) }

// Unwrap returns what is wrong.
func (e *WrongError) Unwrap() error { return e.Err }

func wrong(file, format string, args ...any) error {
	return &WrongError{file, fmt.Errorf(format, args...)}
}

// MissingError is returned when the parts don't add up to their run.
type MissingError struct{ What string }

func (e *MissingError) Error() string { return "the parts are not the whole run: " + e.What }
