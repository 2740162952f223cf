package faults

// crash is the panic of a simulated crash: private, so that nothing else can raise or mistake it.
type crash struct{ at Point }

// Catch runs one life and returns where a simulated crash ended it, if one did. Any other panic is
// raised again.
func Catch(life func() error) (at Point, crashed bool, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *crash:
			at, crashed, err = r.at, true, nil
		default:
			panic(r)
		}
	}()
	return Point{}, false, life()
}
