package explorer

import (
	"net/http"
	"strconv"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/httpfault"
)

// answering returns a writer that keeps what the provider answers a request, for the point at which the program gets
// it. Only a life that is told to somebody has it, and only where no other request of this method is under way: which
// of several it was can't be told.
func (l *binaryLife) answering(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if !l.lines.Load() {
		return w
	}
	<-l.started
	l.process.Settle()
	site := httpfault.Site(r.Method)
	l.mu.Lock()
	defer l.mu.Unlock()
	asked, answered := 0, 0
	for _, e := range l.events {
		switch {
		case e.Seam != site.Seam || e.Operation != site.Operation:
		case e.Position == faults.Before.String():
			asked++
		case e.Position == faults.After.String():
			answered++
		}
	}
	if asked != answered+1 {
		return w
	}
	return &answer{ResponseWriter: w, life: l, point: faults.Point{Site: site, Position: faults.After, N: asked}}
}

// answer is one answer of the provider on its way.
type answer struct {
	http.ResponseWriter
	life  *binaryLife
	point faults.Point
}

// WriteHeader implements http.ResponseWriter. What the status is must be known before anybody can have read it.
func (a *answer) WriteHeader(status int) {
	a.life.mu.Lock()
	a.life.answers[a.point.String()] = strconv.Itoa(status)
	a.life.mu.Unlock()
	a.ResponseWriter.WriteHeader(status)
}
