package services_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// served is a world behind a server whose requests and connections are counted.
type served struct {
	*world
	url                   string
	requests, connections atomic.Int32

	mu      sync.Mutex
	headers []http.Header
}

func serve(t *testing.T, o services.HandlerOptions) *served {
	t.Helper()
	return serveWorld(t, openMemory(t, provider.Larkfield()), o)
}

func serveWorld(t *testing.T, w *world, o services.HandlerOptions) *served {
	t.Helper()
	s := &served{world: w}
	if o.Services == nil {
		o.Services = s.world.services
	}
	handler := services.NewHandler(o)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		s.mu.Lock()
		s.headers = append(s.headers, r.Header.Clone())
		s.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *served) client(t *testing.T, o services.ClientOptions) resolver.Services {
	t.Helper()
	c := services.NewClient(s.url, o)
	t.Cleanup(c.Close)
	return c.Services()
}

func TestHandler_GateDecides(t *testing.T) {
	for _, c := range []struct {
		name    string
		gate    services.Gate
		answer  string
		changes int
	}{
		{"nothing between", nil, "ok", 1},
		{"answer without work", func(services.Call, func()) bool { return true }, "ok", 1},
		{"work, then answer", func(_ services.Call, work func()) bool { work(); return true }, "ok", 1},
		{"work twice", func(_ services.Call, work func()) bool { work(); work(); return true }, "ok", 1},
		{"during-lost", func(services.Call, func()) bool { return false }, "timeout", 0},
		{"during", func(_ services.Call, work func()) bool { work(); return false }, "timeout", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, services.HandlerOptions{Gate: c.gate})
			v := s.client(t, services.ClientOptions{Caller: caller("T-1")})
			_, err := send(ctx, v, "op-1", refund("LK-100001", 995, ""))
			equal(t, "answer", c.answer, nameOf(err))
			equal(t, "changes", c.changes, len(s.changes()))
			equal(t, "requests", int32(1), s.requests.Load())
		})
	}
}

func TestHandler_GateSeesTheCallersCount(t *testing.T) {
	var calls []services.Call
	s := serve(t, services.HandlerOptions{Gate: func(c services.Call, work func()) bool {
		calls = append(calls, c)
		return true
	}})
	n := map[string]int{}
	v := s.client(t, services.ClientOptions{Call: func(seam, operation string) int {
		n[seam+"."+operation]++
		return n[seam+"."+operation]
	}})
	v.Payment.Capabilities() // no call on a seam: neither counted nor gated
	v.Orders.GetOrder(ctx, "C-1", "LK-100001")
	send(ctx, v, "op-1", refund("LK-100001", 995, ""))
	send(ctx, v, "op-1", refund("LK-100001", 995, ""))
	v.Warehouse.Operation(ctx, "op-1")
	equal(t, "calls", []services.Call{
		{Seam: "orders", Operation: "get_order", N: 1},
		{Seam: "payment", Operation: "request_refund", N: 1},
		{Seam: "payment", Operation: "request_refund", N: 2},
		{Seam: "warehouse", Operation: "operation", N: 1},
	}, calls)
}

// A killed client's request is still done, whether its work has begun or comes late.
func TestHandler_WorkOutlivesItsCaller(t *testing.T) {
	arrived, proceed, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	// Over a file, because a database gives up on a context that has ended.
	s := serveWorld(t, openFile(t, provider.Larkfield()), services.HandlerOptions{Gate: func(_ services.Call, work func()) bool {
		close(arrived)
		<-proceed
		work()
		close(done)
		return false
	}})
	v := s.client(t, services.ClientOptions{Caller: caller("T-1")})
	killed, kill := context.WithCancel(ctx)
	answer := make(chan error)
	go func() {
		_, err := send(killed, v, "op-1", refund("LK-100001", 995, ""))
		answer <- err
	}()
	<-arrived
	kill()
	if err := <-answer; !errors.Is(err, resolver.ErrTimeout) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(proceed)
	<-done
	equal(t, "changes", 1, len(s.changes()))
}

func TestHandler_LateDelivery(t *testing.T) {
	held := make(chan func(), 1)
	s := serve(t, services.HandlerOptions{Gate: func(_ services.Call, work func()) bool { held <- work; return false }})
	v := s.client(t, services.ClientOptions{Caller: caller("T-1")})
	_, err := send(ctx, v, "op-1", refund("LK-100001", 995, ""))
	equal(t, "answer", "timeout", nameOf(err))
	equal(t, "changes", 0, len(s.changes()))
	deliver := <-held
	deliver()
	equal(t, "changes after it arrived", 1, len(s.changes()))
}

func TestHandler_Knobs(t *testing.T) {
	s := serve(t, services.HandlerOptions{Knobs: func(c services.Call) provider.Knobs {
		if c.N == 1 {
			return provider.Knobs{Trouble: provider.LoseAfter}
		}
		return provider.Knobs{}
	}})
	n := 0
	v := s.client(t, services.ClientOptions{Call: func(string, string) int { n++; return n }})
	_, first := send(ctx, v, "op-1", refund("LK-100001", 995, ""))
	second, err := send(ctx, v, "op-1", refund("LK-100001", 995, ""))
	if nameOf(first) != "timeout" || err != nil || !second.Repeated {
		t.Errorf("%v, then %+v, %v", first, second, err)
	}
}

// The transport re-sends by itself on a connection that breaks, if it thinks it may: a call must be one
// request, also on a connection that was used before.
func TestClient_NeverSendsTwice(t *testing.T) {
	s := serve(t, services.HandlerOptions{Gate: func(c services.Call, work func()) bool {
		if c.Operation == "request_refund" {
			work()
			return false
		}
		return true
	}})
	v := s.client(t, services.ClientOptions{Caller: caller("T-1"), Transport: unrepeatable{t, &http.Transport{}}})
	for range 3 {
		if _, err := v.Orders.GetOrder(ctx, "C-1", "LK-100001"); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.connections.Load(); n != 1 {
		t.Errorf("%d connections for three calls in a row", n)
	}
	_, err := send(ctx, v, "op-1", refund("LK-100001", 995, ""))
	equal(t, "answer", "timeout", nameOf(err))
	equal(t, "requests", int32(4), s.requests.Load())
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.headers {
		if len(h["Idempotency-Key"])+len(h["X-Idempotency-Key"]) > 0 {
			t.Errorf("the key travels in a header: %v", h)
		}
	}
}

// unrepeatable asserts that a transport could not send a request again if it wanted to.
type unrepeatable struct {
	t *testing.T
	http.RoundTripper
}

func (u unrepeatable) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.GetBody != nil {
		u.t.Error("the transport may send this request again")
	}
	return u.RoundTripper.RoundTrip(r)
}

// stub is a payment service that answers as it is told.
type stub struct {
	resolver.Payment
	err   error
	panic bool
}

func (s stub) RequestRefund(context.Context, resolver.WriteRequest) (resolver.Change, error) {
	if s.panic {
		panic("out of paper")
	}
	return resolver.Change{}, s.err
}

func TestClient_ErrorsTravel(t *testing.T) {
	for name, c := range map[string]struct {
		stub stub
		want error
	}{
		"timeout":           {stub{err: fmt.Errorf("deep: %w", resolver.ErrTimeout)}, resolver.ErrTimeout},
		"unavailable":       {stub{err: resolver.ErrUnavailable}, resolver.ErrUnavailable},
		"in flight":         {stub{err: resolver.ErrInFlight}, resolver.ErrInFlight},
		"a broken database": {stub{err: errors.New("disk full")}, resolver.ErrTimeout},
		"a panic":           {stub{panic: true}, resolver.ErrTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, services.HandlerOptions{Services: func(services.Caller) resolver.Services { return resolver.Services{Payment: c.stub} }})
			_, err := send(ctx, s.client(t, services.ClientOptions{}), "op-1", refund("LK-100001", 995, ""))
			if !errors.Is(err, c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	for name, fault := range map[string]string{"a refusal": "", "a refusal on purpose": "request_refund:denied"} {
		var out error = &resolver.RefusedError{Code: "not_captured", Message: "PAY-1 is not a captured charge of LK-1"}
		if fault != "" {
			out = &resolver.FaultError{Fault: fault, Err: out}
		}
		s := serve(t, services.HandlerOptions{Services: func(services.Caller) resolver.Services { return resolver.Services{Payment: stub{err: out}} }})
		_, err := send(ctx, s.client(t, services.ClientOptions{}), "op-1", refund("LK-100001", 995, ""))
		equal(t, name, out, err)
	}
}

func TestClient_UnreadableAnswersAreTimeouts(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"no JSON":           func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"JSON of something": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"ok":true}`) },
		"two documents":     func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{}{}`) },
		"cut short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"record_id":`)
		},
		"a refusal cut short": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422); io.WriteString(w, `{"code":"x`) },
		"a proxy's error":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); io.WriteString(w, "bad gateway") },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"nothing": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		},
		"half a head": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Le")
			conn.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				answer(w, r)
			}))
			defer server.Close()
			c := services.NewClient(server.URL, services.ClientOptions{})
			defer c.Close()
			change, err := send(ctx, c.Services(), "op-1", refund("LK-100001", 995, ""))
			if !errors.Is(err, resolver.ErrTimeout) || change != (resolver.Change{}) || requests.Load() != 1 {
				t.Errorf("%+v, %v after %d requests", change, err, requests.Load())
			}
		})
	}
}

func TestClient_NobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	c := services.NewClient("http://"+listener.Addr().String(), services.ClientOptions{})
	if _, err := send(ctx, c.Services(), "op-1", refund("LK-100001", 995, "")); !errors.Is(err, resolver.ErrTimeout) {
		t.Errorf("%v", err)
	}
	// Nothing can be counted on while nobody says so.
	equal(t, "capabilities", resolver.Capabilities{}, c.Services().Payment.Capabilities())
}

func TestClient_AsksOnceWhatIsOffered(t *testing.T) {
	s := serve(t, services.HandlerOptions{})
	v := s.client(t, services.ClientOptions{Warehouse: &resolver.Capabilities{MaxDelay: time.Hour}})
	for range 3 {
		equal(t, "payment", resolver.Capabilities(provider.Larkfield().Capabilities()), v.Payment.Capabilities())
		equal(t, "warehouse", resolver.Capabilities{MaxDelay: time.Hour}, v.Warehouse.Capabilities())
	}
	equal(t, "requests", int32(1), s.requests.Load())
}

func TestHandler_RefusesWhatIsNoCall(t *testing.T) {
	s := serve(t, services.HandlerOptions{Gate: func(services.Call, func()) bool { t.Error("the gate was asked"); return true }})
	good := `{"ticket_id":"T-1","key":"op-1","action":{"tool":"request_refund","order_id":"LK-100001","amount_cents":995,"reason_code":"RFD-LATE"}}`
	for name, c := range map[string]struct {
		method, path, body, header string
		status                     int
	}{
		"a read by GET":        {"GET", "/orders/get_order", "", "", 405},
		"an unknown operation": {"POST", "/payment/steal", "{}", "", 404},
		"an unknown seam":      {"POST", "/", "{}", "", 404},
		"a dot for the slash":  {"POST", "/payment.request_refund", good, "", 404},
		"a longer path":        {"POST", "/payment/request_refund/x", good, "", 404},
		"a body above 1 MiB":   {"POST", "/payment/request_refund", strings.Repeat(" ", 1<<20) + good, "", 413},
		"a count of zero":      {"POST", "/payment/request_refund", good, "0", 400},
		"a count of words":     {"POST", "/payment/request_refund", good, "two", 400},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, "status", c.status, s.post(t, c.method, c.path, c.body, c.header))
		})
	}
	equal(t, "changes", 0, len(s.changes()))
}

func TestHandler_RefusesBodies(t *testing.T) {
	s := serve(t, services.HandlerOptions{})
	good := `{"ticket_id":"T-1","key":"op-1","action":{"tool":"request_refund","order_id":"LK-100001","amount_cents":995,"reason_code":"RFD-LATE"}}`
	for name, body := range map[string]string{
		"nothing":            "",
		"no JSON":            "refund, please",
		"a list":             "[]",
		"an unknown field":   `{"ticket":"T-1"}`,
		"a text for a count": strings.Replace(good, "995", `"995"`, 1),
		"half a cent":        strings.Replace(good, "995", `9.5`, 1),
		"two documents":      good + good,
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, "status", 400, s.post(t, "POST", "/payment/request_refund", body, ""))
		})
	}
	equal(t, "changes", 0, len(s.changes()))
	equal(t, "a good one", 200, s.post(t, "POST", "/payment/request_refund", good, "1"))
}

func (s *served) post(t testing.TB, method, path, body, call string) int {
	t.Helper()
	r, err := http.NewRequest(method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	if call != "" {
		r.Header.Set(services.HeaderCall, call)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func FuzzHandler(f *testing.F) {
	f.Add("/payment/request_refund", []byte(`{"ticket_id":"T","key":"k","action":{"tool":"request_refund","order_id":"LK-100001","amount_cents":995,"reason_code":"RFD-LATE"}}`))
	f.Add("/warehouse/reship_item", []byte(`{"ticket_id":"T","action":{"tool":"reship_item","order_id":"LK-100001","sku":"POT","quantity":1}}`))
	f.Add("/payment/operation", []byte(`{"operation_id":"k"}`))
	f.Add("/policy/search_policy", []byte(`{"query":"late \" OR ("}`))
	f.Add("/tickets/add_note", []byte(`{"ticket_id":"T","note_id":"n","text":"x"}`))
	f.Add("/orders/get_order", []byte(`{"customer_id":"C-1"`))
	known := map[int]bool{200: true, 400: true, 404: true, 413: true, 422: true}
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		w := openMemory(t, provider.Larkfield())
		handler := services.NewHandler(services.HandlerOptions{Services: w.services})
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/", bytes.NewReader(body))
		r.URL.Path = path
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, r)
		if !known[answer.Code] || !strings.HasPrefix(answer.Header().Get("Content-Type"), "application/json") {
			t.Errorf("%s %q: status %d, %s", path, body, answer.Code, answer.Body)
		}
		if refunded := refundedOf(w, "LK-100001"); refunded < 0 || refunded > 4995 {
			t.Errorf("%d refunded", refunded)
		}
	})
}
