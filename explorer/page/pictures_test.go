package page_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/page"
	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/matrix"
	"github.com/paytwice/paytwice/scenarios/tour"
)

// TestPictures takes pictures of the page as people get it, for somebody to look at: each part of it, wide and narrow,
// in both schemes and both languages, into the folder that PAYTWICE_PICTURES names. Those of docs/images are
// explorer, timeline and maps (as map.png) at 1280 px, light and in English.
func TestPictures(t *testing.T) {
	dir := os.Getenv("PAYTWICE_PICTURES")
	if dir == "" {
		t.Skip("for people to look at: set PAYTWICE_PICTURES to a folder")
	}
	b := openTab(t, write(t, wholeExplorer(t)))
	b.run(`document.querySelector('.map button[aria-label^="naive-retry · during-call"]').click()`)
	b.run(`document.querySelector("#glossary details").open = true`)
	for _, width := range []int64{1280, 390} {
		b.size(width, 1)
		for _, scheme := range []string{"light", "dark"} {
			b.media("screen", scheme)
			for _, language := range []string{"en", "fr"} {
				b.choose("language", language)
				for name, selector := range map[string]string{"explorer": "body", "cases": "#case-ledger-of", "map": "#report", "maps": ".map", "profiles": ".map:nth-of-type(2)", "timeline": "#detail", "registers": "#detail .registers", "tables": "#tables"} {
					b.run(fmt.Sprintf(`document.activeElement.blur(); document.querySelector(%q).scrollIntoView()`, selector))
					picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
					if err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s-%s.png", name, width, scheme, language)), picture, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// wholeExplorer is the page that paytwice export makes.
func wholeExplorer(t *testing.T) page.Explorer {
	t.Helper()
	r := matrix.Request{Mode: matrix.Simulate, Seed: 1, Workers: 2, Timeout: time.Minute, Points: tour.LessonPoints()}
	for _, s := range strategy.Names() {
		for _, p := range provider.Profiles() {
			r.Settings = append(r.Settings, scenarios.Setting{Scenario: scenarios.Refund, Strategy: s, Provider: p.Name}.WithDefaults())
		}
	}
	recorded, _, err := tour.Map(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if child.Supported {
		r.Mode = matrix.Kill
	}
	lesson, err := tour.Lesson(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return page.Explorer{Lesson: lesson, Map: recorded}
}
