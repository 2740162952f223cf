package cli

import (
	"fmt"
	"io"
)

// Output is where results go. It remembers the first write that failed, so that a program whose results
// were lost does not end as if all were well.
type Output struct {
	w   io.Writer
	err error
}

// NewOutput returns an output over a writer.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("the result could not be written: %w", err)
	}
	return n, err
}

// Err returns the first error of writing.
func (o *Output) Err() error { return o.err }

// Printf writes one formatted piece; a failure shows in Err.
func (o *Output) Printf(format string, args ...any) { fmt.Fprintf(o, format, args...) }
