//go:build linux && amd64

package blackbox_test

import (
	"strings"
	"testing"
)

// A socket's name in the folder is made by a durable call; other addresses are no names there.
func TestRecord_Bind(t *testing.T) {
	want := "sys.openat[effects]#1\nsys.write[effects]#1\nsys.bind[ctl.sock]#1\n"
	if tr := record(t, target(t, "bind")); names(tr.Calls) != want || len(tr.Outside) > 0 {
		t.Errorf("%q outside; %s, not %s", tr.Outside, names(tr.Calls), want)
	}
}

// A socket that a crash leaves behind is there in the next life, after a power cut, too.
func TestSweep_SocketLeftBehind(t *testing.T) {
	for _, args := range [][]string{{"bind"}, {"bind", "anew"}} {
		cfg := target(t, args...)
		cfg.PowerLoss = true
		r := sweep(t, cfg)
		sound := len(args) > 1
		if sound != (len(r.Kills.Violations) == 0) || sound != (len(r.PowerLoss.Violations) == 0) || strings.Contains(r.Power, "not traced") {
			t.Errorf("%s: kills: %s; power loss: %s; %s", args, r.Kills, r.PowerLoss, r.Power)
		}
	}
}
