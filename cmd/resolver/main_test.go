package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts the program on the PATH of every test, as a real process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"resolver": main})
}
