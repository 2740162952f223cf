package page_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/paytwice/paytwice/explorer/page"
)

// tab is one tab of the browser with one page in it. At the end of its test it must have asked for nothing
// but that page, and complained of nothing.
type tab struct {
	t       testing.TB
	ctx     context.Context
	address string

	mu       sync.Mutex
	requests []string
	said     []string
}

// openTab shows a page in a new tab, served as the server serves it.
func openTab(t testing.TB, html string) *tab {
	t.Helper()
	b := loose(t, html)
	t.Cleanup(func() {
		for _, wrong := range b.misbehaved() {
			t.Error(wrong)
		}
	})
	return b
}

// loose is a tab whose behaviour the test judges itself.
func loose(t testing.TB, html string) *tab {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", page.Policy()+"; frame-ancestors 'none'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, html)
	}))
	t.Cleanup(server.Close)
	ctx, closeTab := chromedp.NewContext(needsChromium(t))
	t.Cleanup(closeTab)
	b := &tab{t: t, ctx: ctx, address: server.URL + "/"}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	// A bound on the whole test: a page that hangs must not hang the tests.
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	b.ctx = limited
	if err := chromedp.Listen(b.ctx, b.see); err != nil {
		t.Fatal(err)
	}
	_, errNetwork := chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	_, errLog := chromedp.Call(b.ctx, log.Enable, struct{}{})
	if errNetwork != nil || errLog != nil {
		t.Fatal(errNetwork, errLog)
	}
	b.size(1280, 1)
	b.do(chromedp.Navigate(b.address))
	return b
}

func (b *tab) see(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.said = append(b.said, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
	case *runtime.EventConsoleAPICalled:
		b.said = append(b.said, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, "exception: "+e.ExceptionDetails.Text)
	case *cdppage.EventJavascriptDialogOpening:
		b.said = append(b.said, "dialog: "+e.Message)
	}
}

// misbehaved returns what the page should not have done.
func (b *tab) misbehaved() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, r := range b.requests {
		if r != b.address && !strings.HasPrefix(r, "data:") {
			out = append(out, "it asks for "+r)
		}
	}
	if len(b.requests) == 0 {
		out = append(out, "no request was seen, not even for the page: is anything watched?")
	}
	for _, s := range b.said {
		out = append(out, "it complains: "+s)
	}
	return out
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns what an expression of JavaScript gives.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// run evaluates an expression for what it does.
func (b *tab) run(expression string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](expression))
}

// text returns the text of the first element that a selector finds, its spaces joined.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return strings.Join(strings.Fields(eval[string](b, `document.querySelector(`+fmt.Sprintf("%q", selector)+`).textContent`)), " ")
}

// choose chooses a radio button by its name and value.
func (b *tab) choose(name, value string) {
	b.t.Helper()
	b.run(fmt.Sprintf(`document.querySelector('input[name="%s"][value="%s"]').click()`, name, value))
}

// size sets the width of the window in CSS pixels, and how many of the screen's each has.
func (b *tab) size(width int64, scale float64) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 1180, DeviceScaleFactor: scale})
	if err != nil {
		b.t.Fatal(err)
	}
}

// media sets what the page is shown on, screen or print, and what its reader prefers, light or dark.
func (b *tab) media(kind, scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// keys presses keys one after the other.
func (b *tab) keys(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}
