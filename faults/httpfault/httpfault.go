// Package httpfault puts crash points around the requests of any http.RoundTripper.
//
// Wrap the transport of the program's client, whatever it is:
//
//	client.Transport = httpfault.Transport(client.Transport, nil)
//
// In the Run of an explorer.Program the process is now killed before and after each request, and the provider
// of the test adds the kill during it. Env.HTTPClient is such a client. The example takes a plan into its own hands, with an
// injector that only simulates the crash.
//
//   - Sites: http.METHOD, the method in lower case: http.post. One that isn't a name of a point is
//     http.other. A redirect that a client follows is a call of its own.
//   - Positions: before, and after, where the response's header has come and nothing of its body was read.
//     What happens at during is decided by the provider, in another process: a client can't tell when its
//     bytes have left.
//   - Faults at during, for an injector without DuringElsewhere: lose-request (not sent), lose-response
//     (sent, answered, and the answer dropped), unavailable (503, not sent), refuse (403, not sent). The
//     first two are a time-out, as faults.ErrNoAnswer.
//
// net/http sends a request again by itself, inside the wrapped transport, when a kept connection breaks and
// the request is idempotent or carries an Idempotency-Key header: count requests at the server.
//
// It imports faults and the standard library.
package httpfault

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/internal/seam"
)

// Transport wraps a round tripper, http.DefaultTransport when nil. Its requests ask the injector; with nil,
// the one that the request's context carries or that the process has armed, if any. It has
// CloseIdleConnections exactly when the inner one has. Built with paytwice_off it returns the inner one.
//
// Concurrency: safe if the inner one is.
func Transport(rt http.RoundTripper, in *faults.Injector) http.RoundTripper {
	if rt == nil {
		rt = http.DefaultTransport
	}
	if faults.Off {
		return rt
	}
	base := &transport{rt, in}
	if idle, ok := rt.(idleCloser); ok {
		return struct {
			*transport
			idleCloser
		}{base, idle}
	}
	return base
}

// idleCloser is what http.Client looks for.
type idleCloser interface{ CloseIdleConnections() }

type transport struct {
	inner http.RoundTripper
	in    *faults.Injector
}

// Unwrap returns the round tripper that is wrapped.
func (t *transport) Unwrap() http.RoundTripper { return t.inner }

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	in := seam.Injector(t.in, req.Context())
	if in == nil {
		return t.inner.RoundTrip(req)
	}
	sent := false
	defer func() {
		if !sent && req.Body != nil {
			_ = req.Body.Close() // a round tripper closes it, whatever happens
		}
	}()
	var resp *http.Response
	struck, err := seam.Around(in, Site(req.Method), func() (err error) {
		sent = true
		resp, err = t.inner.RoundTrip(req)
		return err
	})
	if err == nil {
		return resp, nil
	}
	if resp != nil && struck != "" {
		_, _ = io.Copy(io.Discard, resp.Body) // the server may still be at work
		_ = resp.Body.Close()
	}
	switch {
	case errors.Is(err, faults.ErrUnavailable) && struck != "":
		return answer(req, http.StatusServiceUnavailable), nil
	case errors.Is(err, faults.ErrRefused) && struck != "":
		return answer(req, http.StatusForbidden), nil
	}
	return nil, err
}

// Site returns the site of a request's method; the empty one is GET.
func Site(method string) faults.Site {
	if method == "" {
		method = http.MethodGet
	}
	site, err := faults.ParseSite("http." + strings.ToLower(method))
	if err != nil {
		return faults.Site{Seam: "http", Operation: "other"}
	}
	return site
}

func answer(req *http.Request, status int) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}
