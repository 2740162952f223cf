package reports_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/explorer/story"
	"github.com/paytwice/paytwice/reports"
)

// FuzzFormats: whatever a text holds, no format lets it break out, XML gives it back as it is shown, and JSON
// as it was.
func FuzzFormats(f *testing.F) {
	for _, seed := range []string{evil, "", "a", "::error::", "##[error]", "`` ` ", "\\|", "_a_", "@a", "\U000e0041", "https://a", "www.a", "a\\", "%0A"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown := story.Inert(text)
		if again := story.Inert(shown); again != shown {
			t.Fatalf("made inert twice: %q, then %q", shown, again)
		}
		m := filled(axes{actions: []string{text}, points: []string{"after-write"}, strategies: []string{"a", text + "b"}, providers: []string{"larkfield"}})
		m.Cells[0].Replay = text
		d := history.Explorations{Runs: []history.Exploration{{Scenario: "refund", Complete: true, Violations: []history.Counterexample{{Invariant: "double-write", Detail: text, Replay: text}}}}}
		out := map[string]string{
			"as text": written(t, matrixText, m), "as markdown": written(t, reports.MatrixMarkdown, m), "as junit": written(t, reports.MatrixJUnit, m), "as svg": written(t, reports.MatrixSVG, m),
			"as json": written(t, reports.WriteJSON, any(m)), "searches as markdown": written(t, reports.ExplorationsMarkdown, d),
			"as annotations": written(t, reports.WriteAnnotations, reports.ExplorationsAnnotations(d)),
		}
		for name, got := range out {
			if strings.Contains(name, "markdown") {
				// The check of links and mentions is by their spelling, which a shown text may have inside a word.
				got = strings.NewReplacer("@a", "@", "://", ":").Replace(got)
			}
			for _, wrong := range escaped(name, got) {
				t.Errorf("%s: %s", name, wrong)
			}
		}
		if got, want := readJUnit(t, out["as junit"]).Suites[0].Cases[0].Out, shown; len(want) < 1000 && !strings.HasPrefix(got, want) {
			t.Errorf("XML gives %q back as %q", want, got)
		}
		var back history.Matrix
		if err := json.Unmarshal([]byte(out["as json"]), &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ToValidUTF8(text, "\ufffd"), back.Cells[0].What); diff != "" && strings.ToValidUTF8(text, "") == text {
			t.Errorf("JSON (-want +got):\n%s", diff)
		}
	})
}
