package provider_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
)

// send sends a request and returns what came back as one line: the status, the flags of the header, what the
// body names. An answer that never comes is "none".
func send(t *testing.T, method, address, key, kind, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	// A transport of its own: a broken connection must not make it send anything twice.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "none"
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return line(t, resp, data)
}

func line(t *testing.T, resp *http.Response, data []byte) string {
	t.Helper()
	var v struct {
		ID, Status string
		Error      struct{ Type, Code string }
		Changes    []any
		Data       []any
		Cancelled  *int
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v in %q", resp.Status, err, data)
	}
	out := fmt.Sprint(resp.StatusCode)
	for _, s := range []string{v.Error.Type, v.Error.Code} {
		if s != "" {
			out += " " + s
		}
	}
	if prefix, _, ok := strings.Cut(v.ID, "_"); ok {
		out += " " + prefix + " " + v.Status
	}
	if v.Changes != nil {
		out += fmt.Sprintf(" %d changes", len(v.Changes))
	}
	if v.Data != nil {
		out += fmt.Sprintf(" %d listed", len(v.Data))
	}
	if v.Cancelled != nil {
		out += fmt.Sprintf(" %d cancelled", *v.Cancelled)
	}
	for _, h := range []string{"Idempotent-Replayed", "Stripe-Should-Retry", "Transient-Error"} {
		if x := resp.Header.Get(h); x != "" {
			out += " " + h + "=" + x
		}
	}
	return out
}

// dialect sends a refund of an order in one of the two forms.
type dialect func(t *testing.T, s *provider.Server, key, order string, cents int) string

func plain(t *testing.T, s *provider.Server, key, order string, cents int) string {
	t.Helper()
	return send(t, "POST", s.URL+"/refunds", key, "application/json", fmt.Sprintf(`{"order":%q,"amount_cents":%d}`, order, cents))
}

func stripe(t *testing.T, s *provider.Server, key, order string, cents int) string {
	t.Helper()
	return send(t, "POST", s.URL+"/v1/refunds", key, "application/x-www-form-urlencoded", url.Values{"charge": {order}, "amount": {fmt.Sprint(cents)}}.Encode())
}

// What each profile answers over the wire, in both dialects: a repeat, another payload under the key, a
// repeat while the first is under way, a repeat after an error, and one after the key's lifetime; then the
// changes that each of them left.
func TestServer_Profiles(t *testing.T) {
	ok, again := "200 re succeeded", "200 re succeeded Idempotent-Replayed=true"
	for _, c := range []struct {
		profile                                   provider.Profile
		repeat, reused, reusedStripe, inFlight    string
		inFlightStripe, afterError, expired, look string
	}{
		{provider.ReplayAll(), again, "400 key_reused", "400 idempotency_error Stripe-Should-Retry=false", "409 in_flight", "409 idempotency_error idempotency_key_in_use Stripe-Should-Retry=true", "500 internal", ok, "200 re succeeded"},
		{provider.Resume(), again, "400 key_reused", "400 idempotency_error Stripe-Should-Retry=false", "409 in_flight", "409 idempotency_error idempotency_key_in_use Stripe-Should-Retry=true", ok, ok, "200 re succeeded"},
		{provider.SuccessOnly(), again, again, again, again, again, ok, ok, "404 not_found"},
		{provider.KeyOnly(), again, again, again, again, again, ok, ok, "404 not_found"},
		{provider.TransientFlag(), again, "422 key_reused", "400 idempotency_error Stripe-Should-Retry=false", "409 704 Transient-Error=true", "409 idempotency_error idempotency_key_in_use Stripe-Should-Retry=true", ok, ok, "404 not_found"},
		{provider.NoKey(), ok, ok, ok, ok, ok, ok, ok, "404 not_found"},
		{provider.Blind(), ok, ok, ok, ok, ok, ok, ok, "501 no_lookup"},
	} {
		for name, refund := range map[string]dialect{"plain": plain, "stripe": stripe} {
			t.Run(c.profile.Name+"/"+name, func(t *testing.T) {
				want := func(what, got, plain, stripe string) {
					t.Helper()
					if name == "stripe" {
						plain = stripe
					}
					if got != plain {
						t.Errorf("%s: %s, want %s", what, got, plain)
					}
				}
				s := provider.New(t, c.profile)
				want("first", refund(t, s, "k-1", "o-1", 995), ok, ok)
				want("repeat", refund(t, s, "k-1", "o-1", 995), c.repeat, c.repeat)
				want("reused", refund(t, s, "k-1", "o-1", 996), c.reused, c.reusedStripe)
				want("look-up", send(t, "GET", s.URL+"/operations/k-1", "", "", ""), c.look, c.look)
				s.Advance(46 * 24 * time.Hour)
				want("after its lifetime", refund(t, s, "k-1", "o-1", 995), c.expired, c.expired)

				taken, release := s.Hold()
				first := make(chan string)
				go func() { first <- refund(t, s, "k-2", "o-2", 995) }()
				<-taken
				second := refund(t, s, "k-2", "o-2", 995)
				release()
				want("in flight", joinFlight(second, <-first), joinFlight(c.inFlight, ok), joinFlight(c.inFlightStripe, ok))

				s.Next(provider.Knobs{Trouble: provider.ErrorBefore})
				refund(t, s, "k-3", "o-3", 995)
				got := strings.TrimSuffix(refund(t, s, "k-3", "o-3", 995), " Idempotent-Replayed=true")
				want("after an error", got, c.afterError, strings.Replace(c.afterError, "500 internal", "500 api_error internal", 1))
			})
		}
	}
}

// joinFlight writes down two answers to one key of which either may be the first's: where one wins, the
// other gets its result.
func joinFlight(a, b string) string {
	if strings.HasSuffix(b, "Replayed=true") {
		a, b = b, a
	}
	return a + " | " + b
}

func TestServer_LostAnswersAndLedger(t *testing.T) {
	s := provider.New(t, provider.ReplayAll())
	s.Next(provider.Knobs{Trouble: provider.LoseAfter}, provider.Knobs{Trouble: provider.LoseBefore}, provider.Knobs{Trouble: provider.UnavailableBefore})
	for i, want := range []string{"none", "none", "503 unavailable", "200 re succeeded Idempotent-Replayed=true"} {
		if got := plain(t, s, "k-1", "o-1", 995); got != want {
			t.Errorf("request %d: %s, want %s", i+1, got, want)
		}
	}
	if l := s.Ledger(); len(l) != 1 || l[0].Payload.Order != "o-1" || l[0].Operation != "k-1" {
		t.Errorf("ledger %+v", l)
	}
	if n := s.Received(); n != 4 {
		t.Errorf("%d received", n)
	}
	if got := send(t, "GET", s.URL+"/changes?order=o-1", "", "", ""); got != "200 1 changes" {
		t.Error(got)
	}
	if got := send(t, "GET", s.URL+"/changes?order=o-2", "", "", ""); got != "200 0 changes" {
		t.Error(got)
	}
}

func TestServer_Cancel(t *testing.T) {
	s := provider.New(t, provider.CancelByKey())
	plain(t, s, "k-1", "o-1", 995)
	for _, c := range []struct{ key, want string }{{"k-1", "200 1 cancelled"}, {"k-1", "200 0 cancelled"}, {"k-2", "200 0 cancelled"}} {
		if got := send(t, "POST", s.URL+"/operations/"+c.key+"/cancel", "", "", ""); got != c.want {
			t.Errorf("%s: %s, want %s", c.key, got, c.want)
		}
	}
	if got := send(t, "POST", provider.New(t, provider.ReplayAll()).URL+"/operations/k-1/cancel", "", "", ""); got != "501 no_cancel" {
		t.Error(got)
	}
}

// A charge bounds its refunds; Stripe's list shows the newest first, one by its name.
func TestServer_Stripe(t *testing.T) {
	s := provider.New(t, provider.ReplayAll())
	send(t, "POST", s.URL+"/charges", "c-1", "application/json", `{"order":"ch_1","amount_cents":1000}`)
	for _, c := range []struct {
		key, form, want string
	}{
		{"k-1", "charge=ch_1&amount=600", "200 re succeeded"},
		{"k-2", "charge=ch_1&amount=600", "400 invalid_request_error charge_already_refunded Stripe-Should-Retry=false"},
		{"k-3", "payment_intent=pi_1&amount=600&currency=cad&reason=duplicate", "200 re succeeded"},
		{"k-4", "charge=ch_1", "400 invalid_request_error parameter_missing"},
		{"k-5", "charge=ch_1&amount=ten", "400 invalid_request_error parameter_invalid_integer"},
		{"k-6", "amount=10", "400 invalid_request_error invalid_order Stripe-Should-Retry=false"},
		{"k-7", "charge=ch_1&amount=-5", "400 invalid_request_error invalid_amount Stripe-Should-Retry=false"},
		{"k-8", "%zz", "400 invalid_request_error"},
	} {
		if got := send(t, "POST", s.URL+"/v1/refunds", c.key, "application/x-www-form-urlencoded", c.form); got != c.want {
			t.Errorf("%s: %s, want %s", c.form, got, c.want)
		}
	}
	record := s.Ledger()[1].Record
	for path, want := range map[string]string{
		"/v1/refunds?charge=ch_1": "200 1 listed", "/v1/refunds?payment_intent=pi_1": "200 1 listed", "/v1/refunds": "200 2 listed",
		"/v1/refunds/" + record: "200 re succeeded", "/v1/refunds/re_0": "404 invalid_request_error resource_missing", "/v1/balance": "404 invalid_request_error",
	} {
		if got := send(t, "GET", s.URL+path, "", "", ""); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Bodies that no honest client sends change nothing.
func TestServer_HostileBodies(t *testing.T) {
	s := provider.New(t, provider.ReplayAll())
	long := strings.Repeat("x", 2<<20)
	for name, c := range map[string]struct{ path, body, want string }{
		"empty":         {"/refunds", "", "400 body"},
		"no JSON":       {"/refunds", "{", "400 body"},
		"unknown field": {"/refunds", `{"order":"o","amount_cents":1,"extra":1}`, "400 body"},
		"a fraction":    {"/refunds", `{"order":"o","amount_cents":1.5}`, "400 body"},
		"too much":      {"/refunds", `{"order":"o","amount_cents":99999999999}`, "422 invalid_amount"},
		"overflow":      {"/refunds", `{"order":"o","amount_cents":99999999999999999999}`, "400 body"},
		"no order":      {"/refunds", `{"amount_cents":1}`, "422 invalid_order"},
		"long order":    {"/refunds", `{"order":"` + long[:300] + `","amount_cents":1}`, "422 invalid_order"},
		"two values":    {"/refunds", `{"order":"o","amount_cents":1}{"order":"p","amount_cents":1}`, "400 body"},
		"other kind":    {"/refunds", `{"kind":"gift","amount_cents":1}`, "422 invalid_order"},
		"huge":          {"/refunds", `{"order":"` + long + `"}`, "400 body"},
		"huge form":     {"/v1/refunds", "charge=" + long, "400 invalid_request_error"},
	} {
		if got := send(t, "POST", s.URL+c.path, "", "application/json", c.body); strings.TrimSuffix(got, " Stripe-Should-Retry=false") != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if l := s.Ledger(); len(l) != 0 {
		t.Errorf("ledger %+v", l)
	}
}

// FuzzDouble sends any body twice under one key to any address: the answer is JSON and no failure of the
// provider's, and at most one change is made.
func FuzzDouble(f *testing.F) {
	for _, path := range []string{"/refunds", "/charges", "/v1/refunds", "/operations/k/cancel", "/nowhere"} {
		for _, body := range []string{"", `{"order":"o","amount_cents":1}`, "charge=c&amount=1", "amount=%zz", "{}", `{"order":"\u0000","amount_cents":1}`} {
			f.Add(path, "k", body)
		}
	}
	f.Fuzz(func(t *testing.T, path, key, body string) {
		if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \x00\r\n") {
			t.Skip()
		}
		if _, err := url.ParseRequestURI(path); err != nil {
			t.Skip()
		}
		d := provider.NewDouble(provider.ReplayAll(), nil)
		h := d.Handler(provider.HandlerOptions{})
		var answers []string
		for range 2 {
			req := httptest.NewRequest(http.MethodPost, "http://double"+path, strings.NewReader(body))
			req.Header.Set("Idempotency-Key", key)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			if w.Code >= 500 && w.Code != http.StatusNotImplemented {
				t.Fatalf("%d: %s", w.Code, w.Body)
			}
			if strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") && !json.Valid(w.Body.Bytes()) {
				t.Fatalf("no JSON: %q", w.Body)
			}
			answers = append(answers, fmt.Sprint(w.Code)+w.Body.String())
		}
		n := len(d.Ledger())
		if n > 2 || key != "" && n > 1 {
			t.Fatalf("%d changes", n)
		}
		if key != "" && n == 1 && strings.HasPrefix(path, "/v1") && answers[0] != answers[1] {
			t.Fatalf("the repeat was answered otherwise: %q", answers)
		}
		for _, e := range d.Ledger() {
			if e.Payload.AmountCents <= 0 || e.Payload.Order == "" {
				t.Fatalf("ledger %+v", e)
			}
		}
	})
}
