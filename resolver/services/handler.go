package services

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
)

// Call names one call as its caller counts it.
type Call struct {
	Seam, Operation string
	// N is the caller's own count of this operation, from 1; 0 when the caller doesn't count.
	N int
}

// Gate stands between a call that has arrived and the work it asks for. It is called once the whole
// request has been read, because only then is it sure that the bytes have left the caller. work does the
// work, at most once however often it is called, and does not depend on the caller being alive; it
// returns when the work is done. With answer false the connection is closed without any answer; work may
// then be called later, or never. With answer true the work is done if it wasn't.
//
// Concurrency: called from one goroutine for each request.
type Gate func(call Call, work func()) (answer bool)

// HandlerOptions says whom a handler serves and who watches. Only Services is needed.
type HandlerOptions struct {
	// Services returns the services of a caller, as the request's headers name it.
	Services func(Caller) resolver.Services
	Gate     Gate
	// Knobs returns what goes wrong with a call; nil means nothing.
	Knobs func(Call) provider.Knobs
}

// NewHandler returns the services over HTTP: POST /SEAM/OPERATION with a JSON body. It is meant for the
// loopback interface and asks nobody for a password.
//
// Errors: a JSON body {code, message} with status 504 (no answer from the service), 503, 409 or 422 (a
// refusal); 400, 404, 405 and 413 for what is no call.
func NewHandler(o HandlerOptions) http.Handler { return &handler{o} }

type handler struct{ HandlerOptions }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p) // the server's own way to close a connection
			}
			reply(w, http.StatusInternalServerError, failure{Code: "internal", Message: fmt.Sprint(p)})
		}
	}()
	if r.Method != http.MethodPost {
		reply(w, http.StatusMethodNotAllowed, failure{Code: "method", Message: "calls are POST requests"})
		return
	}
	seam, operation, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	name := seam + "." + operation
	do, gated := operations[name]
	if !gated {
		if do = declarations[name]; do == nil {
			reply(w, http.StatusNotFound, failure{Code: "unknown_operation", Message: "there is no operation " + strconv.Quote(r.URL.Path)})
			return
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		status := http.StatusBadRequest
		var tooLong *http.MaxBytesError
		if errors.As(err, &tooLong) {
			status = http.StatusRequestEntityTooLarge
		}
		reply(w, status, failure{Code: "body", Message: err.Error()})
		return
	}
	h.answer(w, r, name, do, gated, body)
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request, name string, do call, gated bool, body []byte) {
	n, err := callNumber(r)
	if err != nil {
		reply(w, http.StatusBadRequest, failure{Code: "call", Message: err.Error()})
		return
	}
	seam, operation, _ := strings.Cut(name, ".")
	c := Call{Seam: seam, Operation: operation, N: n}
	services := h.Services(Caller{TicketID: r.Header.Get(HeaderTicket), RunID: r.Header.Get(HeaderRun)})
	// The work must not hang on the request: when the caller is killed, what has arrived is still done.
	ctx := context.WithoutCancel(r.Context())
	if h.Knobs != nil {
		ctx = provider.WithKnobs(ctx, h.Knobs(c))
	}
	var result any
	work := onceSafely(func() error {
		var err error
		result, err = do(ctx, services, body)
		return err
	})
	if gated && h.Gate != nil && !h.Gate(c, func() { work() }) {
		hangUp(w)
		return
	}
	if err := work(); err != nil {
		replyError(w, err)
		return
	}
	reply(w, http.StatusOK, result)
}

// onceSafely returns a function that runs f at most once and returns what it returned. A panic becomes
// an error here, because the work may run outside the server's own goroutine.
func onceSafely(f func() error) func() error {
	return sync.OnceValue(func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the service broke down: %v", p)
			}
		}()
		return f()
	})
}

func callNumber(r *http.Request) (int, error) {
	text := r.Header.Get(HeaderCall)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s %q is not a number from 1", HeaderCall, text)
	}
	return n, nil
}

func replyError(w http.ResponseWriter, err error) {
	var bad badRequest
	if errors.As(err, &bad) {
		reply(w, http.StatusBadRequest, failure{Code: "body", Message: bad.Error()})
		return
	}
	status, body := statusOf(err)
	reply(w, status, body)
}

func reply(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"code":"internal","message":"the result has no JSON form"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text) // a caller that is gone needs no answer
}

// hangUp closes the connection without a byte of an answer.
func hangUp(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}
