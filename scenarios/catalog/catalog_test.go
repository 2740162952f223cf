package catalog_test

import (
	"errors"
	"testing"

	"github.com/paytwice/paytwice/explorer/check"
	"github.com/paytwice/paytwice/scenarios"
	"github.com/paytwice/paytwice/scenarios/catalog"
)

// TestAll: every scenario has a name of its own and says what it is; a broken one names what must catch it.
func TestAll(t *testing.T) {
	seen := map[string]scenarios.Scenario{}
	for _, s := range catalog.All() {
		if s.Name == "" || s.Doc == "" || s.Simulate == nil || s.Settings == nil {
			t.Errorf("%q lacks a name, a sentence, a world or its settings", s.Name)
		}
		if _, twice := seen[s.Name]; twice {
			t.Errorf("two scenarios are called %s", s.Name)
		}
		seen[s.Name] = s
		if s.Program != nil && len(s.Tasks) == 0 {
			t.Errorf("%s has processes, and no main for them", s.Name)
		}
		known := false
		for _, name := range check.Names() {
			known = known || name == s.Expect
		}
		if s.Broken != known {
			t.Errorf("%s: broken %t, caught by %q", s.Name, s.Broken, s.Expect)
		}
		got, err := catalog.ByName(s.Name)
		if err != nil || got.Name != s.Name {
			t.Errorf("ByName(%q) = %q, %v", s.Name, got.Name, err)
		}
	}
	for name, s := range seen {
		if mended, ok := seen[s.Mended]; s.Mended != "" && (!ok || mended.Broken) {
			t.Errorf("%s is mended by %q, which is no mended scenario", name, s.Mended)
		}
	}
	if first := catalog.Names()[0]; first != scenarios.Refund {
		t.Errorf("the first scenario is %s", first)
	}
}

func TestByName_Unknown(t *testing.T) {
	_, err := catalog.ByName("refnd")
	var unknown *scenarios.UnknownError
	if !errors.As(err, &unknown) || unknown.Kind != "scenario" || unknown.Nearest != "refund" {
		t.Errorf("ByName: %v", err)
	}
}
