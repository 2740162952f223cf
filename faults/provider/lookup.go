package provider

import "time"

// Find returns the first change made under a name that a look-up shows now: one that stands and is old
// enough to be seen. Knobs may make this one look-up lag more.
//
// Errors: ErrNoLookup, and those of the register. Found false proves nothing before the profile's
// MaxDelay has passed.
func (e *Engine[P]) Find(reg Register[P], name string, k Knobs) (effect Effect[P], found bool, err error) {
	shown, err := e.Recent(reg, k)
	if err != nil {
		return Effect[P]{}, false, err
	}
	for _, effect := range shown {
		if effect.Operation == name {
			return effect, true, nil
		}
	}
	return Effect[P]{}, false, nil
}

// Recent returns the changes that a look-up shows now, oldest first; the same lag as Find's.
//
// Errors: ErrNoLookup, and those of the register.
func (e *Engine[P]) Recent(reg Register[P], k Knobs) ([]Effect[P], error) {
	if !e.Profile.canLook() {
		return nil, ErrNoLookup
	}
	effects, err := reg.Effects()
	if err != nil {
		return nil, err
	}
	now := e.Now()
	var shown []Effect[P]
	for _, effect := range effects {
		if effect.Stands(now) && now.Sub(effect.At) >= e.Profile.lag()+effect.Lag+k.Lag {
			shown = append(shown, effect)
		}
	}
	return shown, nil
}

// Cancel takes back the changes made under a key that stand, and returns how many there were. None is
// no error and leaves no mark: a request that is still on its way applies when it arrives.
//
// Errors: ErrNoCancel, and those of the register.
func (e *Engine[P]) Cancel(reg Register[P], key string) (int, error) {
	if !e.Profile.CancelByKey {
		return 0, ErrNoCancel
	}
	effects, err := reg.Effects()
	if err != nil {
		return 0, err
	}
	return e.takeBack(reg, effects, key, e.Now())
}

func (e *Engine[P]) takeBack(reg Register[P], effects []Effect[P], key string, now time.Time) (int, error) {
	n := 0
	for _, effect := range effects {
		if effect.Key != key || !effect.Stands(now) {
			continue
		}
		effect.ReversedAt = now
		if err := reg.Reverse(effect); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
