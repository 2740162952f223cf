package page_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
	"github.com/paytwice/paytwice/scenarios/matrix"
	"github.com/paytwice/paytwice/scenarios/tour"
)

// TestMain lets the test binary be the child of its own kills, and ends the browser that the tests share.
func TestMain(m *testing.M) {
	catalog.ChildMain()
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

var (
	browserOnce  sync.Once
	browser      context.Context
	browserErr   error
	closeBrowser = func() {}
)

// needsChromium returns the browser that all tests share; each opens tabs of its own.
func needsChromium(t testing.TB) context.Context {
	t.Helper()
	found := false
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if _, err := exec.LookPath(name); err == nil {
			found = true
		}
	}
	if !found {
		t.Skip("needs chromium")
	}
	browserOnce.Do(func() {
		options := chromedp.DefaultExecAllocatorOptions[:]
		if os.Geteuid() == 0 {
			options = append(options, chromedp.NoSandbox) // it has none for root
		}
		allocator, closeAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, closeTab := chromedp.NewContext(allocator)
		closeBrowser = func() { closeTab(); closeAllocator() }
		browser, browserErr = ctx, chromedp.Do(ctx)
	})
	if browserErr != nil {
		t.Fatal(browserErr)
	}
	return browser
}

// explorer is the default page's document, run once for all tests: the lesson by real kills, the map of a
// few strategies and profiles in memory.
var explorer = sync.OnceValues(func() (page.Explorer, error) {
	ctx := context.Background()
	r := matrix.Request{Mode: matrix.Simulate, Seed: 1, Workers: 2, Timeout: time.Minute, Points: tour.LessonPoints()}
	for _, strategy := range []string{"operation-id", "naive-retry", "mark-first"} {
		for _, provider := range []string{"larkfield", "blind", "no-key"} {
			r.Settings = append(r.Settings, scenarios.Setting{Scenario: scenarios.Refund, Strategy: strategy, Provider: provider})
		}
	}
	recorded, _, err := tour.Map(ctx, r)
	if err != nil {
		return page.Explorer{}, err
	}
	if child.Supported {
		r.Mode = matrix.Kill
	}
	lesson, err := tour.Lesson(ctx, r)
	return page.Explorer{Lesson: lesson, Map: recorded}, err
})

func theExplorer(t testing.TB) page.Explorer {
	t.Helper()
	e, err := explorer()
	if err != nil {
		t.Fatal(err)
	}
	return e
}
