package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// How long a page takes to open in the browser, in ms: from the request to the end of its own start-up, and to
// the first content on the screen. Ten thousand cells are asked to take less than a second.
func BenchmarkOpen(b *testing.B) {
	b.Run("ten thousand cells", func(b *testing.B) { opens(b, write(b, manyCells())) })
	b.Run("the lesson and the map", func(b *testing.B) { opens(b, write(b, theExplorer(b))) })
}

func opens(b *testing.B, html string) {
	tab := openTab(b, html)
	var loaded, painted float64
	for b.Loop() {
		tab.do(chromedp.Navigate(tab.address))
		loaded += eval[float64](tab, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
		painted += eval[float64](tab, firstPaint)
	}
	b.ReportMetric(loaded/float64(b.N), "ms/loaded")
	b.ReportMetric(painted/float64(b.N), "ms/painted")
}

// firstPaint waits for the first content on the screen, which may come after the load.
const firstPaint = `new Promise(resolve => new PerformanceObserver(list => {
	for (const entry of list.getEntries()) if (entry.name === "first-contentful-paint") resolve(entry.startTime);
}).observe({type: "paint", buffered: true}))`
