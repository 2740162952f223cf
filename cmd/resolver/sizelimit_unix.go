//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreSizeLimit makes a write beyond the process's file size limit an error, which is told like a full
// disk. The signal would end the program with a stack trace.
func ignoreSizeLimit() { signal.Ignore(syscall.SIGXFSZ) }
