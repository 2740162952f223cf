package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts the program on the PATH of every test, as a real process.
func TestMain(m *testing.M) {
	// Every program that a test starts would otherwise sleep a second at its end under the race detector.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	testscript.Main(m, map[string]func(){"resolver": main})
}
