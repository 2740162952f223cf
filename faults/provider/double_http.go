package provider

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// Gate stands between a write request that was read whole and the work it asks for. work does the work, at
// most once; with answer false the connection is closed without an answer. operation is charge or refund.
type Gate func(r *http.Request, operation string, work func()) (answer bool)

// HandlerOptions says who watches a Double. The zero value is nobody.
type HandlerOptions struct {
	Gate Gate
	// Knobs returns what goes wrong with a request.
	Knobs func(r *http.Request, operation string) Knobs
	// Hold returns what a request waits for after it was taken on, its key in flight, and before it is worked
	// on; nil means that nothing comes between. A request that is held passes no Gate.
	Hold func(r *http.Request, operation string) (wait func())
}

// maxBodyBytes bounds a request.
const maxBodyBytes = 1 << 20

// Handler returns the provider over HTTP, in two dialects.
//
// Plain JSON: POST /charges and POST /refunds take {"order", "amount_cents", "currency", "reason"} and an
// Idempotency-Key header, and answer {"id", "status", ...}; GET /operations/KEY and GET /changes?order=O
// are the look-ups; POST /operations/KEY/cancel takes back what was made under a key; GET /ledger is the
// test's own view, which no profile hides.
//
// Stripe's form for refunds: POST /v1/refunds, GET /v1/refunds?charge=C and GET /v1/refunds/ID, see stripe.go.
func (d *Double) Handler(o HandlerOptions) http.Handler {
	return (&doubleHandler{d, o}).mux()
}

type doubleHandler struct {
	*Double
	HandlerOptions
}

// write answers one JSON write.
func (h *doubleHandler) write(w http.ResponseWriter, r *http.Request, kind string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		writeProblem(w, http.StatusBadRequest, "body", err.Error())
		return
	}
	p := Payload{}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		writeProblem(w, http.StatusBadRequest, "body", err.Error()+"; the fields are order, amount_cents, currency, reason")
		return
	}
	if _, err := d.Token(); err != io.EOF {
		writeProblem(w, http.StatusBadRequest, "body", "there is more after the request")
		return
	}
	p.Kind = kind
	answer, ok := h.do(w, r, p)
	switch {
	case !ok:
	case answer.OK():
		replayed(w, answer)
		writeJSON(w, http.StatusOK, changeOf(p, answer))
	default:
		transient(w, answer)
		writeProblem(w, answer.Status, answer.Code, answer.Message)
	}
}

// do passes the gate and has the work done. ok is false when there is nothing more to say: the connection
// is closed, or an error was written.
func (h *doubleHandler) do(w http.ResponseWriter, r *http.Request, p Payload) (answer Answer, ok bool) {
	knobs := Knobs{}
	if h.Knobs != nil {
		knobs = h.Knobs(r, p.Kind)
	}
	var err error
	if h.Hold != nil {
		if wait := h.Hold(r, p.Kind); wait != nil {
			answer, err = h.held(r.Header.Get("Idempotency-Key"), p, knobs, wait)
			return h.answered(w, answer, err)
		}
	}
	done := false
	work := func() {
		if !done {
			done = true
			answer, err = h.Do(r.Header.Get("Idempotency-Key"), p, knobs)
		}
	}
	if h.Gate != nil && !h.Gate(r, p.Kind, work) {
		panic(http.ErrAbortHandler)
	}
	work()
	return h.answered(w, answer, err)
}

// held answers a request that others may come in between.
func (h *doubleHandler) held(key string, p Payload, k Knobs, wait func()) (Answer, error) {
	finish, answer, err := h.Begin(key, p, k)
	if err != nil || finish == nil {
		return answer, err
	}
	wait()
	return finish()
}

// answered passes an answer on, unless there is none to give.
func (h *doubleHandler) answered(w http.ResponseWriter, answer Answer, err error) (Answer, bool) {
	if err != nil {
		writeProblem(w, http.StatusInternalServerError, "internal", err.Error())
		return answer, false
	}
	if answer.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	return answer, true
}

// change is a change as the JSON dialect shows it.
type change struct {
	ID          string `json:"id"`
	Kind        string `json:"kind"`
	Status      string `json:"status"`
	OperationID string `json:"operation_id"`
	Order       string `json:"order"`
	AmountCents int64  `json:"amount_cents"`
	Currency    string `json:"currency,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Repeated    bool   `json:"repeated,omitempty"`
}

func changeOf(p Payload, a Answer) change {
	return change{a.Record, p.Kind, status(a.Reversed), a.Operation, p.Order, p.AmountCents, p.Currency, p.Reason, a.Repeated}
}

func (h *doubleHandler) shown(e Effect[Payload]) change {
	return change{e.Record, e.Payload.Kind, status(!e.Stands(h.engine.Now())), e.Operation, e.Payload.Order, e.Payload.AmountCents, e.Payload.Currency, e.Payload.Reason, false}
}

func status(reversed bool) string {
	if reversed {
		return "failed"
	}
	return "succeeded"
}

func (h *doubleHandler) find(w http.ResponseWriter, r *http.Request) {
	e, found, err := h.Find(r.PathValue("key"), Knobs{})
	switch {
	case errors.Is(err, ErrNoLookup):
		writeProblem(w, http.StatusNotImplemented, "no_lookup", err.Error())
	case err != nil:
		writeProblem(w, http.StatusInternalServerError, "internal", err.Error())
	case !found:
		writeProblem(w, http.StatusNotFound, "not_found", "no change is known under that key")
	default:
		writeJSON(w, http.StatusOK, h.shown(e))
	}
}

func (h *doubleHandler) changes(w http.ResponseWriter, r *http.Request) {
	list, err := h.Recent(r.URL.Query().Get("order"), Knobs{})
	if err != nil {
		writeProblem(w, http.StatusNotImplemented, "no_lookup", err.Error())
		return
	}
	out := []change{}
	for _, e := range list {
		out = append(out, h.shown(e))
	}
	writeJSON(w, http.StatusOK, map[string]any{"changes": out})
}

func (h *doubleHandler) cancel(w http.ResponseWriter, r *http.Request) {
	n, err := h.Cancel(r.PathValue("key"))
	if err != nil {
		writeProblem(w, http.StatusNotImplemented, "no_cancel", err.Error())
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"cancelled": n})
}

func replayed(w http.ResponseWriter, a Answer) {
	if a.Repeated {
		w.Header().Set("Idempotent-Replayed", "true")
	}
}

func transient(w http.ResponseWriter, a Answer) {
	if a.Transient {
		w.Header().Set("Transient-Error", "true")
	}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func writeProblem(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}
