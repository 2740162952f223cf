package child

import (
	"bytes"
	"sync"
)

// tail keeps the last bytes of what is written to it, and the first ones from a text on that is not to be lost.
type tail struct {
	mu    sync.Mutex
	most  int
	data  []byte
	alarm string
	since []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listen(p)
	t.data = append(t.data, p...)
	if len(t.data) > t.most {
		t.data = append([]byte(nil), t.data[len(t.data)-t.most:]...)
	}
	return len(p), nil
}

// listen keeps what comes from the alarm on.
func (t *tail) listen(p []byte) {
	if t.alarm == "" {
		return
	}
	if t.since == nil {
		// It may have begun in what was written before.
		p = append(bytes.Clone(t.data[max(0, len(t.data)-len(t.alarm)+1):]), p...)
		i := bytes.Index(p, []byte(t.alarm))
		if i < 0 {
			return
		}
		p = p[i:]
	}
	t.since = append(t.since, p[:min(len(p), t.most-len(t.since))]...)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.data))
}

// sinceAlarm returns what was kept from the alarm on.
func (t *tail) sinceAlarm() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.since))
}
