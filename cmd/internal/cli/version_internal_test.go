package cli

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	for want, info := range map[string]*debug.BuildInfo{
		"devel":                              {},
		"v1.2.3":                             {Main: debug.Module{Version: "v1.2.3"}},
		"devel (commit 0123abcd)":            {Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.modified", Value: "false"}}},
		"v1.2.3 (commit 0123abcd, modified)": {Main: debug.Module{Version: "v1.2.3+dirty"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.modified", Value: "true"}}},
	} {
		if got := versionOf(info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if names := want != "devel" && want != "v1.2.3 (commit 0123abcd, modified)"; NamesCode(want) != names {
			t.Errorf("%q names its code: %v", want, !names)
		}
	}
}
