package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/reports"
)

// small is a report that needs no run.
func small(t *testing.T) string {
	t.Helper()
	m := history.Matrix{Schema: history.MatrixSchema, Scenario: "refund", Mode: "kill", Cells: []history.Cell{{Ticket: "T-1", Action: 1, Strategy: "s", Provider: "p", Point: "x",
		Landed: true, Effects: 1, Verdict: history.Pass, Violations: []string{}}}}
	m.Sum()
	name := filepath.Join(t.TempDir(), "report.json")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := reports.WriteJSON(file, m); err != nil {
		t.Fatal(err)
	}
	return name
}

// The server answers reads of its one page, asked for by address, and nothing else; each answer says what
// the page may do.
func TestPageHandler(t *testing.T) {
	h := pageHandler([]byte("<!DOCTYPE html>"))
	for name, c := range map[string]struct {
		method, path, host string
		code               int
	}{
		"page":             {"GET", "/", "127.0.0.1:8090", 200},
		"head":             {"HEAD", "/", "127.0.0.1:8090", 200},
		"localhost":        {"GET", "/", "localhost:8090", 200},
		"IPv6":             {"GET", "/", "[::1]:8090", 200},
		"IPv6, no port":    {"GET", "/", "[::1]", 200},
		"rebound name":     {"GET", "/", "evil.example:8090", 421},
		"like localhost":   {"GET", "/", "localhost.evil.example", 421},
		"like an address":  {"GET", "/", "127.0.0.1.evil.example", 421},
		"no host":          {"GET", "/", "", 421},
		"another path":     {"GET", "/run", "127.0.0.1:8090", 404},
		"a file":           {"GET", "/../../etc/passwd", "127.0.0.1:8090", 404},
		"post":             {"POST", "/", "127.0.0.1:8090", 405},
		"options":          {"OPTIONS", "/", "127.0.0.1:8090", 405},
		"method of no one": {"RUN", "/", "127.0.0.1:8090", 405},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "http://x"+c.path, nil)
			r.Host = c.host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.code {
				t.Errorf("%d, want %d", w.Code, c.code)
			}
			if (w.Code == 200 && c.method == "GET") != strings.Contains(w.Body.String(), "DOCTYPE") {
				t.Errorf("answers %q", w.Body.String())
			}
			for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
				"Content-Security-Policy": page.Policy() + "; frame-ancestors 'none'"} {
				if got := w.Header().Get(header); got != want {
					t.Errorf("%s: %q, want %q", header, got, want)
				}
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Error("lets other pages read it")
			}
		})
	}
}

// The command prints its address, serves a report, and ends well when it is stopped.
func TestServe_StopsWhenTold(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	in, out := io.Pipe()
	done := make(chan int, 1)
	report := small(t)
	go func() {
		var errOut strings.Builder
		code := run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--from", report, "--quiet"}, out, &errOut)
		out.CloseWithError(io.EOF)
		done <- code
	}()
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v, exit %d", err, <-done)
	}
	answer, err := http.Get(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || !strings.Contains(string(body), "paytwice") {
		t.Errorf("%v: %.80s", err, body)
	}
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit %d", code)
	}
}

// An address that is taken is answered with one that is not.
func TestServe_Taken(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := runs(t, "serve", "--listen", l.Addr().String())
	if wrong := oneLine(r.Err, `address already in use; --listen 127\.0\.0\.1:0 takes a free port$`); r.Code != 2 || wrong != "" {
		t.Errorf("exit code %d, %s", r.Code, wrong)
	}
}
