package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// A program that makes its effect and then notes that it did: killed in between, it makes it twice.
func ExampleSweep() {
	cfg := blackbox.Config{
		Command:     []string{"/bin/sh", "-c", "test -e done || { echo refund >> effects; : > done; }"},
		ExactlyOnce: "effects",
		Sides:       blackbox.AfterOnly,
	}
	report, err := blackbox.Sweep(context.Background(), cfg)
	if errors.Is(err, blackbox.ErrPlatform) || errors.Is(err, blackbox.ErrUnavailable) {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	for _, v := range report.Violations {
		fmt.Println(v.Invariant, "by", v.Plan)
	}
	// Output:
	// double-write by kill sys.write[effects]/after#1
}
