package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// Process returns it as processes: its texts are files in the case's folder, and the world outside is
// served by the parent.
func (p *Small) Process() Program { return smallProcess{p} }

type smallProcess struct{ *Small }

// Task implements Program.
func (p smallProcess) Task() string { return p.Small.Task }

// Config implements Program.
func (p smallProcess) Config() any { return p.Form }

// Prepare implements Program.
func (p smallProcess) Prepare(ctx context.Context, dir string) error {
	folder := NewFolder(dir)
	var failed error
	for name, text := range p.First {
		failed = errors.Join(failed, folder.Replace(ctx, name, text))
	}
	return errors.Join(failed, folder.Close())
}

// Open implements Program.
func (p smallProcess) Open(_ context.Context, dir string, clock *Clock) (Outside, error) {
	o := &smallOutside{folder: NewFolder(dir)}
	if p.World != nil {
		o.service = p.World(o.folder, clock.Now)
	}
	return o, nil
}

// Read implements Program. No point lies inside a change of a text, so nothing is half done here.
func (p smallProcess) Read(ctx context.Context, dir string, _ Outside) (Durable, error) {
	folder := NewFolder(dir)
	texts, err := folder.All(ctx)
	return &smallDurable{p.Small, texts}, errors.Join(err, folder.Close())
}

// Accepts implements Program.
func (p smallProcess) Accepts(site faults.Site, verb faults.Verb) bool {
	return p.Small.accepts(site, verb)
}

// smallOutside is the world outside a small program, in the parent.
type smallOutside struct {
	folder  *Folder
	service Service
}

// Handler implements Outside.
func (o *smallOutside) Handler(g *gate) http.Handler { return smallHandler{o.service, g} }

// Happen implements Outside.
func (o *smallOutside) Happen(ctx context.Context, name string) error {
	return happens(ctx, o.service, name)
}

// Close implements Outside.
func (o *smallOutside) Close() error { return o.folder.Close() }

// smallHandler answers POST /SEAM/OPERATION with a JSON body. The gate is nil for a late delivery.
type smallHandler struct {
	service Service
	gate    *gate
}

// smallFailure is the body of an answer that is no result.
type smallFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

const maxSmallBytes = 1 << 20

func (h smallHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	seam, operation, n, ok := services.CallOf(r)
	body, err := io.ReadAll(io.LimitReader(r.Body, maxSmallBytes))
	if !ok || err != nil {
		http.Error(w, "no call", http.StatusBadRequest)
		return
	}
	// The work must not hang on the request: when the caller is killed, what has arrived is still done.
	ctx := context.WithoutCancel(r.Context())
	var out []byte
	work := func() { out, err = answer(ctx, h.service, faults.Site{Seam: seam, Operation: operation}, body) }
	if h.gate == nil {
		work()
	} else {
		c := services.Call{Seam: seam, Operation: operation, N: n}
		ctx = provider.WithKnobs(ctx, h.gate.Knobs(c))
		if !h.gate.Pass(c, work) {
			panic(http.ErrAbortHandler) // the server's own way to close a connection
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		status, f := smallStatus(err)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(f)
		return
	}
	_, _ = w.Write(out) // a caller that is gone needs no answer
}

// smallStatus returns an error as it travels, smallError as it arrives.
func smallStatus(err error) (int, smallFailure) {
	var refused *resolver.RefusedError
	switch {
	case errors.As(err, &refused):
		return http.StatusUnprocessableEntity, smallFailure{refused.Code, refused.Message}
	case errors.Is(err, resolver.ErrUnavailable):
		return http.StatusServiceUnavailable, smallFailure{"unavailable", err.Error()}
	default:
		return http.StatusInternalServerError, smallFailure{"internal", err.Error()}
	}
}

func smallError(status int, f smallFailure) error {
	switch status {
	case http.StatusUnprocessableEntity:
		return &resolver.RefusedError{Code: f.Code, Message: f.Message}
	case http.StatusServiceUnavailable:
		return resolver.ErrUnavailable
	}
	return fmt.Errorf("status %d: %s", status, f.Message)
}

// LiveSmall is one life of a small program in a child process, whose working folder holds its texts.
func LiveSmall(ctx context.Context, at *child.Seat, p *Small) (end history.End, err error) {
	folder := NewFolder(".")
	defer func() { err = errors.Join(err, folder.Close()) }()
	seat := &seams.Seat{Injector: at.Injector, Now: at.Now, Record: at.Record, Remote: true}
	return p.Live(ctx, &Hands{Seat: seat, Clock: at, Texts: folder, send: remoteSender(at.Order.Address)})
}

// remoteSender calls the parent. A call is one request, never sent again by anybody; whatever leaves its
// outcome unknown is resolver.ErrTimeout.
func remoteSender(address string) sender {
	client := &http.Client{Transport: &http.Transport{}}
	return func(ctx context.Context, site faults.Site, n int, body []byte) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/"+site.Seam+"/"+site.Operation, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		request.GetBody = nil // with it the transport may send a request again by itself
		request.Header.Set(services.HeaderCall, strconv.Itoa(n))
		response, err := client.Do(request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", site, resolver.ErrTimeout, err)
		}
		defer response.Body.Close()
		out, err := io.ReadAll(io.LimitReader(response.Body, maxSmallBytes))
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %w", site, resolver.ErrTimeout, err)
		}
		if response.StatusCode == http.StatusOK {
			return out, nil
		}
		var f smallFailure
		if err := json.Unmarshal(out, &f); err != nil {
			return nil, fmt.Errorf("%s: %w: status %d", site, resolver.ErrTimeout, response.StatusCode)
		}
		return nil, smallError(response.StatusCode, f)
	}
}
