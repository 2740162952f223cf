package blackbox

import (
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/faults"
)

// Seam is the seam of every point of this package.
const Seam = "sys"

// What stands in the place of a path where there is none.
const (
	pathStdout = "<stdout>"
	pathTCP    = "<tcp>"
	pathUDP    = "<udp>"
	pathUnix   = "<unix>"
	pathSocket = "<socket>" // of a kind that is not known
)

// Call is one durable system call of a run.
//
// Path is relative to the case's folder, "." for the folder itself, in the escaped form of points: a
// byte that a point can't hold stands as %XX. For a call with two paths it is the new one. N counts the
// calls of the same name and path in their life, from 1.
type Call struct {
	Name string
	Path string
	N    int
}

// Site returns the operation of the call's points.
func (c Call) Site() faults.Site {
	if c.Path == "" {
		return faults.Site{Seam: Seam, Operation: c.Name}
	}
	return faults.Site{Seam: Seam, Operation: c.Name + "[" + c.Path + "]"}
}

// Point returns the point before or after the call.
func (c Call) Point(pos faults.Position) faults.Point {
	return faults.Point{Site: c.Site(), Position: pos, N: c.N}
}

func (c Call) String() string { return fmt.Sprintf("%s#%d", c.Site(), c.N) }

// site is a name and a path: what calls are counted by.
type site struct{ name, path string }

func (c Call) site() site { return site{c.Name, c.Path} }

// ordered reports whether the call takes its turn among the others. A send on a socket, or what is spliced out
// of a pipe, may wait for another process of the same case, so it never holds others up.
func (c Call) ordered() bool { return !c.sends() && c.Name != "splice" }

// sends reports whether the call's bytes go to a socket.
func (c Call) sends() bool {
	switch c.Path {
	case pathTCP, pathUDP, pathUnix, pathSocket:
		return true
	}
	return false
}

// callOf returns the call that a point stands at.
func callOf(p faults.Point) (Call, error) {
	if p.Seam != Seam || p.Position != faults.Before && p.Position != faults.After || p.N < 1 {
		return Call{}, fmt.Errorf("%w: %s is no point before or after a system call", ErrConfig, p)
	}
	name, path, _ := strings.Cut(p.Operation, "[")
	return Call{Name: name, Path: strings.TrimSuffix(path, "]"), N: p.N}, nil
}

// escapePath returns a path in the form that a point can hold. Angle brackets are escaped too, so that
// no file can be taken for standard output.
func escapePath(path string) string {
	const special = "[],;#%<>"
	plain := true
	for i := 0; i < len(path); i++ {
		if c := path[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(special, c) >= 0 {
			plain = false
			break
		}
	}
	if plain {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if c := path[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(special, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
