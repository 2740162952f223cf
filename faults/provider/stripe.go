package provider

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// stripeRefund answers POST /v1/refunds in Stripe's form dialect, closely enough that its official client
// works against a Double unchanged. That client makes a random key for each call and sends its own retries
// under it, so within one process nothing doubles; a process that is started again makes another key.
//
// Stripe-Should-Retry is answered as the real service does: true while the same key is being worked on,
// false for a reused key, absent where it can't tell.
//
// Source: https://docs.stripe.com/api/refunds/create, https://docs.stripe.com/error-low-level
func (h *doubleHandler) stripeRefund(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		stripeProblem(w, http.StatusBadRequest, "invalid_request_error", "", err.Error())
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		stripeProblem(w, http.StatusBadRequest, "invalid_request_error", "", err.Error())
		return
	}
	order := form.Get("charge")
	if order == "" {
		order = form.Get("payment_intent")
	}
	if !form.Has("amount") {
		stripeProblem(w, http.StatusBadRequest, "invalid_request_error", "parameter_missing", "this double refunds no rest: say the amount")
		return
	}
	amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	if err != nil {
		stripeProblem(w, http.StatusBadRequest, "invalid_request_error", "parameter_invalid_integer", "amount must be an integer in the smallest currency unit")
		return
	}
	p := Payload{Kind: Refund, Order: order, AmountCents: amount, Currency: form.Get("currency"), Reason: form.Get("reason")}
	answer, ok := h.do(w, r, p)
	switch {
	case !ok:
	case answer.OK():
		replayed(w, answer)
		writeJSON(w, http.StatusOK, stripeObject(answer.Record, p, status(answer.Reversed)))
	default:
		stripeFailure(w, answer)
	}
}

func stripeFailure(w http.ResponseWriter, a Answer) {
	switch {
	case a.Status == http.StatusConflict && a.Code != "key_reused":
		w.Header().Set("Stripe-Should-Retry", "true")
		stripeProblem(w, http.StatusConflict, "idempotency_error", "idempotency_key_in_use", a.Message)
	case a.Code == "key_reused":
		w.Header().Set("Stripe-Should-Retry", "false")
		stripeProblem(w, http.StatusBadRequest, "idempotency_error", "", a.Message)
	case a.Status == http.StatusUnprocessableEntity:
		w.Header().Set("Stripe-Should-Retry", "false")
		stripeProblem(w, http.StatusBadRequest, "invalid_request_error", a.Code, a.Message)
	default:
		stripeProblem(w, a.Status, "api_error", a.Code, a.Message)
	}
}

func (h *doubleHandler) stripeList(w http.ResponseWriter, r *http.Request) {
	order := r.URL.Query().Get("charge")
	if order == "" {
		order = r.URL.Query().Get("payment_intent")
	}
	list, err := h.Recent(order, Knobs{})
	if err != nil {
		stripeProblem(w, http.StatusNotImplemented, "api_error", "no_lookup", err.Error())
		return
	}
	data := []any{}
	for i := len(list) - 1; i >= 0; i-- { // newest first, as the real one lists
		if list[i].Payload.Kind == Refund {
			data = append(data, stripeObject(list[i].Record, list[i].Payload, "succeeded"))
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "url": "/v1/refunds", "has_more": false, "data": data})
}

func (h *doubleHandler) stripeOne(w http.ResponseWriter, r *http.Request) {
	for _, e := range h.Ledger() {
		if e.Record == r.PathValue("id") && e.Payload.Kind == Refund {
			writeJSON(w, http.StatusOK, stripeObject(e.Record, e.Payload, status(!e.Stands(h.engine.Now()))))
			return
		}
	}
	stripeProblem(w, http.StatusNotFound, "invalid_request_error", "resource_missing", "no such refund: "+r.PathValue("id"))
}

func stripeObject(id string, p Payload, status string) map[string]any {
	currency := p.Currency
	if currency == "" {
		currency = "cad"
	}
	return map[string]any{"id": id, "object": "refund", "amount": p.AmountCents, "charge": p.Order, "currency": currency, "status": status, "reason": p.Reason}
}

func stripeProblem(w http.ResponseWriter, status int, kind, code, message string) {
	problem := map[string]string{"type": kind, "message": message}
	if code != "" {
		problem["code"] = code
	}
	writeJSON(w, status, map[string]any{"error": problem})
}
