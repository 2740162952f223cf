package provider

import (
	"net/http"
	"regexp"
	"strings"
)

// route is one request that a Double answers.
type route struct {
	pattern string // of an http.ServeMux, its method first
	do      http.HandlerFunc
}

func (h *doubleHandler) plain() []route {
	return []route{
		{"POST /charges", func(w http.ResponseWriter, r *http.Request) { h.write(w, r, Charge) }},
		{"POST /refunds", func(w http.ResponseWriter, r *http.Request) { h.write(w, r, Refund) }},
		{"GET /operations/{key}", h.find},
		{"POST /operations/{key}/cancel", h.cancel},
		{"GET /changes", h.changes},
		{"GET /ledger", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, h.Ledger()) }},
	}
}

func (h *doubleHandler) stripe() []route {
	return []route{
		{"POST /v1/refunds", h.stripeRefund},
		{"GET /v1/refunds", h.stripeList},
		{"GET /v1/refunds/{id}", h.stripeOne},
	}
}

// mux routes the requests of both dialects. Whoever guesses another is told what there is, in the dialect of
// the guess.
func (h *doubleHandler) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for _, r := range append(h.plain(), h.stripe()...) {
		mux.HandleFunc(r.pattern, r.do)
	}
	has := listed(h.plain())
	for _, r := range h.plain() {
		method, path, _ := strings.Cut(r.pattern, " ")
		if method == http.MethodGet {
			method += ", HEAD"
		}
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", method)
			writeProblem(w, http.StatusMethodNotAllowed, "no_route", unknownRoute(r, has))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, http.StatusNotFound, "no_route", unknownRoute(r, has))
	})
	stripeHas := listed(h.stripe())
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, r *http.Request) {
		stripeProblem(w, http.StatusNotFound, "invalid_request_error", "", unknownRoute(r, stripeHas))
	})
	return mux
}

var wildcard = regexp.MustCompile(`\{[a-z]+\}`)

// listed names requests as people write them: /operations/KEY.
func listed(routes []route) string {
	var names []string
	for _, r := range routes {
		names = append(names, wildcard.ReplaceAllStringFunc(r.pattern, func(w string) string { return strings.ToUpper(strings.Trim(w, "{}")) }))
	}
	return strings.Join(names, ", ")
}

func unknownRoute(r *http.Request, has string) string {
	return "this double has no " + r.Method + " " + r.URL.Path + "; it has " + has
}
