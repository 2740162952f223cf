package tour_test

import (
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/strategy"
	"github.com/paytwice/paytwice/scenarios/tour"
)

// What the page says of a strategy and a profile is there for each of them, in both languages.
func TestGlossary(t *testing.T) {
	g := tour.Glossary()
	for i, name := range strategy.Names() {
		if s := g.Strategies[i]; s.Name != name || s.What.EN == "" || s.What.FR == "" || s.What.EN == s.What.FR {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for i, p := range provider.Profiles() {
		if g.Providers[i].Name != p.Name {
			t.Errorf("%s stands in the place of %s", g.Providers[i].Name, p.Name)
		}
	}
}

// What is said of a profile is what the profile does: how long it keeps keys, and what a look-up sees.
func TestGlossary_Profiles(t *testing.T) {
	const day = 24 * time.Hour
	ages := map[time.Duration][2]string{0: {"keys for ever", "clés gardées pour toujours"}, day: {"keys for a day", "clés gardées un jour"}, 7 * day: {"keys for a week", "clés gardées une semaine"},
		30 * day: {"keys for 30 days", "clés gardées 30 jours"}, 45 * day: {"keys for 45 days", "clés gardées 45 jours"}, 30 * time.Minute: {"keys for half an hour", "clés gardées une demi-heure"},
		10 * time.Minute: {"keys for ten minutes", "clés gardées dix minutes"}}
	sees := map[provider.Lookup][2]string{provider.LookupStrong: {"sees every change at once", "voit tout de suite chaque changement"}, provider.LookupLagging: {"a look-up lags", "une consultation est en retard"},
		provider.LookupNone: {"no look-up", "aucune consultation"}}
	for i, p := range provider.Profiles() {
		what := tour.Glossary().Providers[i].What
		keys := [2]string{"no keys", "aucune clé"}
		if p.Keys() {
			keys = ages[p.KeyTTL]
		}
		for _, says := range [][2]string{keys, sees[p.Lookup]} {
			if says[0] == "" || !strings.Contains(what.EN, says[0]) || !strings.Contains(what.FR, says[1]) {
				t.Errorf("%s does not say %q: %+v", p.Name, says, what)
			}
		}
		if at := strings.Contains(what.EN, "one region"); at != p.Scoped {
			t.Errorf("%s: whether keys have a scope: %t", p.Name, at)
		}
		if at := strings.Contains(what.EN, "by its key"); at != p.CancelByKey {
			t.Errorf("%s: whether a key cancels: %t", p.Name, at)
		}
	}
}
