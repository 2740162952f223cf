package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// NamesCode reports whether a version says which code it is of: two programs of one that does not may differ.
func NamesCode(version string) bool {
	return version != "" && version != "devel" && !strings.Contains(version, "modified") && !strings.Contains(version, "+dirty")
}

// Build returns the SHA-256, in hex, of the file that this program runs from; empty where it can't be read. It
// is read once.
var Build = sync.OnceValue(func() string {
	// Linux still knows the file where another was put in its place since.
	if sum, err := sumOf("/proc/self/exe"); err == nil {
		return sum
	}
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	sum, err := sumOf(name)
	if err != nil {
		return ""
	}
	return sum
})

func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return hex.EncodeToString(hash.Sum(nil)), err
}

// Version returns the version of this program and the commit it was built from, "modified" where files
// differed from it. A build that does not know says "devel".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit == "" {
		return version
	}
	about := "commit " + commit
	if settings["vcs.modified"] == "true" {
		about += ", modified"
	}
	// A version that the commit stands in already says enough of it, but not all of it.
	return strings.TrimSuffix(version, "+dirty") + " (" + about + ")"
}
