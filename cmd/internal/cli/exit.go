package cli

import (
	"errors"
	"fmt"
)

// The exit codes that every program of this module shares.
const (
	ExitOK = 0
	// ExitUsage is for wrong use: an unknown command, a wrong flag, a missing argument.
	ExitUsage = 2
)

// UsageError is an error of whoever typed the command.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *UsageError) Unwrap() error { return e.Err }

// WrongUse returns an error that ends the program with ExitUsage.
func WrongUse(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// IsWrongUse reports whether an error is the caller's.
func IsWrongUse(err error) bool {
	var usage *UsageError
	return errors.As(err, &usage)
}

// PanicError is what Run makes of a panic: a mistake in the program itself. Left alone, a panic would end
// with the code of wrong use.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("internal error, please report it: %v\n%s", e.Value, e.Stack)
}
