package blackbox

import (
	"sync"
	"time"
)

// Progress says how far a sweep is.
type Progress struct {
	// Phase is "record", "kill" or "power loss".
	Phase string
	// Done and Total count the cases of the phase. With several crashes the total grows as states are
	// found.
	Done, Total int
	// States counts the different states that were recovered so far.
	States int
	// Remaining is an estimate of what the phase still takes; 0 without a clock, or too early to say.
	Remaining time.Duration
}

// meter reports progress, one call at a time.
type meter struct {
	mu    sync.Mutex
	tell  func(Progress)
	now   func() time.Time
	at    Progress
	began time.Time
}

func newMeter(tell func(Progress), now func() time.Time) *meter { return &meter{tell: tell, now: now} }

// phase starts another phase, or another level of the same.
func (m *meter) phase(name string, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at.Phase, m.at.Done, m.at.Total, m.at.Remaining = name, 0, total, 0
	if m.now != nil {
		m.began = m.now()
	}
	m.report()
}

// step counts a case that is done.
func (m *meter) step(states int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at.Done++
	m.at.States = max(m.at.States, states)
	if m.now != nil {
		each := m.now().Sub(m.began) / time.Duration(m.at.Done)
		m.at.Remaining = each * time.Duration(m.at.Total-m.at.Done)
	}
	m.report()
}

func (m *meter) report() {
	if m.tell != nil {
		m.tell(m.at)
	}
}
