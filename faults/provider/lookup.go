package provider

import "time"

// Find returns the first change made under a name that a look-up shows now: one that stands and is old
// enough to be seen. Knobs may make this one look-up lag more.
//
// Errors: ErrNoLookup, and those of the register. Found false proves nothing before the profile's
// MaxDelay has passed.
func (e *Engine[P]) Find(reg Register[P], name string, k Knobs) (effect Effect[P], found bool, err error) {
	shown, err := e.Look(reg, k, func(effect *Effect[P]) bool { return effect.Operation == name })
	if err != nil || len(shown) == 0 {
		return Effect[P]{}, false, err
	}
	return shown[0], true, nil
}

// Recent returns the changes that a look-up shows now, oldest first; the same lag as Find's.
//
// Errors: ErrNoLookup, and those of the register.
func (e *Engine[P]) Recent(reg Register[P], k Knobs) ([]Effect[P], error) {
	return e.Look(reg, k, func(*Effect[P]) bool { return true })
}

// Look returns those of Recent that are wanted.
//
// Errors: ErrNoLookup, and those of the register.
func (e *Engine[P]) Look(reg Register[P], k Knobs, wanted func(*Effect[P]) bool) ([]Effect[P], error) {
	if !e.Profile.canLook() {
		return nil, ErrNoLookup
	}
	effects, err := reg.Effects()
	if err != nil {
		return nil, err
	}
	now := e.Now()
	var shown []Effect[P]
	for i := range effects {
		effect := &effects[i]
		if wanted(effect) && effect.Stands(now) && now.Sub(effect.At) >= e.Profile.lag()+effect.Lag+k.Lag {
			shown = append(shown, *effect)
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
