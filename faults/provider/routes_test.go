package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/faults/provider"
)

// answerTo sends a request to a fresh provider and returns the answer with its body.
func answerTo(t *testing.T, method, path, body string) (*http.Response, string) {
	t.Helper()
	h := provider.NewDouble(provider.ReplayAll(), nil).Handler(provider.HandlerOptions{})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "http://double"+path, strings.NewReader(body)))
	text, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(text)
}

// Whoever guesses a path, a method or a field is told what there is.
func TestHandler_SaysWhatThereIs(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		allow              string
		want               string
	}{
		"another path":      {"POST", "/payments", "{}", 404, "", `"no_route","message":"this double has no POST /payments; it has POST /charges, POST /refunds, GET /operations/KEY, `},
		"the root":          {"GET", "/", "", 404, "", `this double has no GET /; it has POST /charges, `},
		"another method":    {"PUT", "/charges", "{}", 405, "POST", `"no_route","message":"this double has no PUT /charges; it has POST /charges, `},
		"of a look-up":      {"DELETE", "/operations/k", "", 405, "GET, HEAD", `this double has no DELETE /operations/k; it has `},
		"in Stripe's form":  {"GET", "/v1/balance", "", 404, "", `"message":"this double has no GET /v1/balance; it has POST /v1/refunds, GET /v1/refunds, GET /v1/refunds/ID"`},
		"an unknown field":  {"POST", "/refunds", `{"invoice":"i"}`, 400, "", `unknown field \"invoice\"; the fields are order, amount_cents, currency, reason"`},
		"a fraction of one": {"POST", "/charges", `{"amount_cents":1.5}`, 400, "", `; the fields are order, amount_cents, currency, reason"`},
	} {
		answer, body := answerTo(t, c.method, c.path, c.body)
		if answer.StatusCode != c.status || answer.Header.Get("Allow") != c.allow || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d, allow %q: %s", name, answer.StatusCode, answer.Header.Get("Allow"), body)
		}
	}
}

// TestHandler_Documented: docs/provider.md lists the requests that there are, in the order in which a 404 does.
func TestHandler_Documented(t *testing.T) {
	page, err := os.ReadFile("../../docs/provider.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:GET|POST) [^`?]*)").FindAllStringSubmatch(string(page), -1) {
		rows = append(rows, m[1])
	}
	var has []string
	for _, path := range []string{"/nowhere", "/v1/nowhere"} {
		_, body := answerTo(t, "GET", path, "")
		_, list, _ := strings.Cut(body, "it has ")
		list, _, _ = strings.Cut(list, `"`)
		has = slices.Concat(has, strings.Split(list, ", "))
	}
	if diff := cmp.Diff(has, rows); diff != "" {
		t.Errorf("the page lists other requests (-has +page):\n%s", diff)
	}
}
