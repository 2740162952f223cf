package faults

import "slices"

// Add plans one more event in the life that runs. It may be called from Options.Pass, where it decides at
// a point what happens there. A point that was passed already isn't struck any more.
func (in *Injector) Add(e Event) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.life = append(slices.Clip(in.life), e)
	in.fired = append(in.fired, false)
}

// Life returns a copy of the life that the injector is armed with, events that were added included.
func (in *Injector) Life() Life {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.life)
}
