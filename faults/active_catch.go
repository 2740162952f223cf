package faults

// Catch runs one life and returns where a simulated crash of this injector ended it, if one did. It knows
// more than the function Catch: a seam that can't be unwound, as database/sql, whose locks would stay
// locked, answers with ErrCrashed instead of a panic, and so do all seams from then on, until the life
// ends by itself.
func (in *Injector) Catch(life func() error) (at Point, crashed bool, err error) {
	at, crashed, err = Catch(life)
	if !crashed && in.Dead() {
		return in.struckBy(Kill), true, nil
	}
	return at, crashed, err
}

// struckBy returns the point at which an event of a verb has struck.
func (in *Injector) struckBy(v Verb) Point {
	in.mu.Lock()
	defer in.mu.Unlock()
	for i, e := range in.life {
		if e.Verb == v && in.fired[i] {
			return e.Point
		}
	}
	return Point{}
}
