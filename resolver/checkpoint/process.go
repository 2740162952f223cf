package checkpoint

import (
	"fmt"
	"os"
	"sync"

	"github.com/paytwice/paytwice/resolver"
)

var thisProcess = sync.OnceValues(func() (resolver.Holder, error) {
	host, err := os.Hostname()
	if err != nil {
		return resolver.Holder{}, fmt.Errorf("this process: %w", err)
	}
	started, err := startOf(os.Getpid())
	if err != nil {
		return resolver.Holder{}, fmt.Errorf("this process: %w", err)
	}
	return resolver.Holder{Host: host, PID: os.Getpid(), Started: started}, nil
})

// ThisProcess returns the holder that stands for this process: host name, process id and start.
//
// Started is a text to be compared, not a time to be read: on Linux the clock ticks from the boot to the
// start, then @ and the beginning of the boot's id, since ticks begin anew at each boot. Elsewhere it is
// empty and the process id alone counts, which errs towards waiting for a lease to run out.
func ThisProcess() (resolver.Holder, error) { return thisProcess() }

// Alive reports whether a holder may still run. A process of another host can't be seen from here and
// counts as alive: its lease has to run out. The same holds for whatever can't be found out.
func Alive(h resolver.Holder) bool {
	self, err := ThisProcess()
	if err != nil || h.Host != self.Host {
		return true
	}
	return runs(h.PID, h.Started)
}
