package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

var shellScript = regexp.MustCompile(`^#!.*[/ ](ba|da|z|k)?sh\b`)

// wrapperNote says that a program which PATH leads to is a shell script in front of the one that is meant, as the
// version managers of some languages put them there: it runs in every case, and often takes longer than the program.
func wrapperNote(name string) string {
	if strings.Contains(name, "/") {
		return ""
	}
	path, err := exec.LookPath(name)
	if err != nil || !beginsAsShell(path) {
		return ""
	}
	return fmt.Sprintf("%s is a shell script, %s, that runs again in every case; if it only starts another program, name that one", name, path)
}

func beginsAsShell(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return shellScript.Match(head[:n])
}
