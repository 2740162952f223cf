package httpfault_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/httpfault"
)

// provider counts what it has done, and says so.
func provider(t testing.TB) (address string, done *int) {
	t.Helper()
	done = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); string(body) == "order-1" {
			*done++
		}
		_, _ = io.WriteString(w, "done")
	}))
	t.Cleanup(server.Close)
	return server.URL, done
}

func post(client *http.Client, address string) (status int, err error) {
	resp, err := client.Post(address, "text/plain", strings.NewReader("order-1"))
	if err != nil {
		return 0, err
	}
	_, err = io.ReadAll(resp.Body)
	return resp.StatusCode, errors.Join(err, resp.Body.Close())
}

func TestTransport_Plans(t *testing.T) {
	for _, c := range []struct {
		plan    string
		status  int
		crashed bool
		timeout bool
		done    int
	}{
		{"run", 200, false, false, 1},
		{"kill http.post/before#1", 0, true, false, 0},
		{"kill http.post/after#1", 0, true, false, 1},
		{"kill http.post/after#2", 200, false, false, 1},
		{"lose-request http.post/during#1", 0, false, true, 0},
		{"lose-response http.post/during#1", 0, false, true, 1},
		{"unavailable http.post/during#1", 503, false, false, 0},
		{"refuse http.post/during#1", 403, false, false, 0},
	} {
		t.Run(c.plan, func(t *testing.T) {
			plan, err := faults.Parse(c.plan)
			if err != nil {
				t.Fatal(err)
			}
			address, done := provider(t)
			in := faults.NewInjector(plan.Life(0), faults.Options{})
			client := &http.Client{Transport: httpfault.Transport(nil, in)}
			var status int
			_, crashed, err := in.Catch(func() (err error) { status, err = post(client, address); return err })
			var urlErr *url.Error
			timeout := errors.As(err, &urlErr) && urlErr.Timeout() && os.IsTimeout(err) && errors.Is(err, faults.ErrNoAnswer)
			if crashed != c.crashed || status != c.status || timeout != c.timeout || *done != c.done {
				t.Errorf("crashed %v, status %d, time-out %v, done %d, error %v", crashed, status, timeout, *done, err)
			}
			if c.crashed {
				if _, err := post(client, address); !errors.Is(err, faults.ErrCrashed) || *done != c.done {
					t.Errorf("a dead process's request: %v, done %d", err, *done)
				}
			}
		})
	}
}

// With DuringElsewhere the provider decides, so the client does nothing at during.
func TestTransport_DuringElsewhere(t *testing.T) {
	plan, _ := faults.Parse("lose-response http.post/during#1")
	address, done := provider(t)
	in := faults.NewInjector(plan.Life(0), faults.Options{DuringElsewhere: true})
	status, err := post(&http.Client{Transport: httpfault.Transport(nil, in)}, address)
	if status != 200 || err != nil || *done != 1 {
		t.Errorf("status %d, error %v, done %d", status, err, *done)
	}
}

func TestTransport_Interfaces(t *testing.T) {
	type idle interface{ CloseIdleConnections() }
	if _, ok := httpfault.Transport(http.DefaultTransport, nil).(idle); !ok {
		t.Error("CloseIdleConnections of http.Transport is hidden")
	}
	if _, ok := httpfault.Transport(http.NewFileTransport(http.Dir(".")), nil).(idle); ok {
		t.Error("CloseIdleConnections appears where there is none")
	}
	inner := httpfault.Transport(nil, nil).(interface{ Unwrap() http.RoundTripper }).Unwrap()
	if inner != http.DefaultTransport {
		t.Errorf("inner %v", inner)
	}
}

func TestSite(t *testing.T) {
	for method, want := range map[string]string{"": "http.get", "POST": "http.post", "M-SEARCH": "http.m-search", "ODD METHOD": "http.other", "1": "http.other"} {
		if got := httpfault.Site(method).String(); got != want {
			t.Errorf("%q is %s, want %s", method, got, want)
		}
	}
}

// closeCounter says how often a request's body was closed.
type closeCounter struct {
	io.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

func TestTransport_ClosesTheBodyOfAnUnsentRequest(t *testing.T) {
	plan, _ := faults.Parse("kill http.put/before#1")
	in := faults.NewInjector(plan.Life(0), faults.Options{})
	body := &closeCounter{Reader: strings.NewReader("x")}
	req, err := http.NewRequest(http.MethodPut, "http://127.0.0.1:1", body)
	if err != nil {
		t.Fatal(err)
	}
	_, crashed, _ := in.Catch(func() error { _, err := httpfault.Transport(nil, in).RoundTrip(req); return err })
	if !crashed || body.closed == 0 {
		t.Errorf("crashed %v, closed %d times", crashed, body.closed)
	}
}
