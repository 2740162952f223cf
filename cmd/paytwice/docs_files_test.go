package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// shownFile is a program that a document shows: its first line names its file.
var shownFile = regexp.MustCompile("(?ms)^```(python|js)\n((?:#|//) ([a-z]+\\.(?:py|mjs))\n.*?)^```$")

// writeShown puts the programs that a document shows into a folder, where its commands find them.
func writeShown(t *testing.T, document, dir string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range shownFile.FindAllSubmatch(text, -1) {
		interpreter(t, map[string]string{"python": "python3", "js": "node"}[string(m[1])])
		if err := os.WriteFile(filepath.Join(dir, string(m[3])), m[2], 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
