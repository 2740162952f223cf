package services

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/paytwice/paytwice/resolver"
)

// The headers of a call. None of them names the change: the key travels in the body, because HTTP
// clients re-send by themselves what carries an idempotency header.
const (
	// HeaderCall is the caller's own count of its calls of this operation, from 1.
	HeaderCall = "Paytwice-Call"
	// HeaderTicket and HeaderRun say who calls.
	HeaderTicket = "Paytwice-Ticket"
	HeaderRun    = "Paytwice-Run"
)

// maxBodyBytes bounds a request and an answer.
const maxBodyBytes = 1 << 20

// query is the body of every read.
type query struct {
	CustomerID  string `json:"customer_id,omitempty"`
	OrderID     string `json:"order_id,omitempty"`
	OperationID string `json:"operation_id,omitempty"`
	RecordID    string `json:"record_id,omitempty"`
	Query       string `json:"query,omitempty"`
}

// noteRequest is the body of tickets.add_note.
type noteRequest struct {
	TicketID string `json:"ticket_id"`
	NoteID   string `json:"note_id"`
	Text     string `json:"text"`
}

// maybeChange is the answer of a look-up for one change.
type maybeChange struct {
	Found  bool             `json:"found"`
	Change *resolver.Change `json:"change,omitempty"`
}

func maybe(c resolver.Change, found bool) maybeChange {
	if !found {
		return maybeChange{}
	}
	return maybeChange{Found: true, Change: &c}
}

// failure is the body of every answer that is no result. Fault is set when a practice service misbehaved
// on purpose.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Fault   string `json:"fault,omitempty"`
}

// statusOf returns an error as it travels.
func statusOf(err error) (int, failure) {
	f := failure{Code: "internal", Message: err.Error()}
	var struck *resolver.FaultError
	if errors.As(err, &struck) {
		f.Fault = struck.Fault
	}
	var refused *resolver.RefusedError
	switch {
	case errors.As(err, &refused):
		f.Code = refused.Code
		return http.StatusUnprocessableEntity, f
	case errors.Is(err, resolver.ErrTimeout):
		f.Code = "timeout"
		return http.StatusGatewayTimeout, f
	case errors.Is(err, resolver.ErrUnavailable):
		f.Code = "unavailable"
		return http.StatusServiceUnavailable, f
	case errors.Is(err, resolver.ErrInFlight):
		f.Code = "in_flight"
		return http.StatusConflict, f
	}
	return http.StatusInternalServerError, f
}

// decode reads one JSON document with no field unknown and nothing behind it.
func decode(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the document")
	}
	return nil
}
