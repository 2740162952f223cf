package cli

import (
	"runtime/debug"
	"strings"
)

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
