package checkpoint_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
)

func TestAlive(t *testing.T) {
	self, err := checkpoint.ThisProcess()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "pid", self.PID, os.Getpid())
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		holder resolver.Holder
		want   bool
	}{
		"this process":     {self, true},
		"start not known":  {resolver.Holder{Host: self.Host, PID: self.PID}, true},
		"another host":     {resolver.Holder{Host: "elsewhere", PID: 999_999_999, Started: "1"}, true},
		"ended":            {resolver.Holder{Host: self.Host, PID: gone.Process.Pid, Started: self.Started}, false},
		"no process":       {resolver.Holder{Host: self.Host}, false},
		"no such process":  {resolver.Holder{Host: self.Host, PID: 999_999_999, Started: "1"}, false},
		"pid used again":   {resolver.Holder{Host: self.Host, PID: self.PID, Started: self.Started + "0"}, self.Started == ""},
		"of another boot ": {resolver.Holder{Host: self.Host, PID: self.PID, Started: "1@ffffffff"}, self.Started == ""},
	} {
		if got := checkpoint.Alive(c.holder); got != c.want {
			t.Errorf("%s: alive %v, want %v", name, got, c.want)
		}
	}
}
