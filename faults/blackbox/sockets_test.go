//go:build linux && amd64

package blackbox_test

import (
	"net"
	"os"
	"path/filepath"
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

// What goes to another socket is sent, whether the address was given once or with each message.
func TestRecord_Datagrams(t *testing.T) {
	dir, err := os.MkdirTemp("", "sink-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "s")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: to, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	want := "sys.sendto[<unix>]#1\nsys.sendmsg[<unix>]#1\nsys.sendmmsg[<unix>]#1\nsys.write[<unix>]#1\nsys.openat[end]#1\nsys.write[end]#1\n"
	if got := names(record(t, target(t, "datagrams", to)).Calls); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
