package resolver_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/resolver"
)

// forms are the expressions that the functions stand for.
var forms = []struct {
	expression *regexp.Regexp
	is         func(string) bool
}{
	{regexp.MustCompile(`^LK-[0-9]{6}$`), resolver.IsOrderID},
	{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$`), resolver.IsName},
}

func sameForms(t interface{ Errorf(string, ...any) }, text string) {
	for _, f := range forms {
		if got, want := f.is(text), f.expression.MatchString(text); got != want {
			t.Errorf("%q: %v, and %s says %v", text, got, f.expression, want)
		}
	}
}

// Each byte at each kind of place, and each length.
func TestForms_Edges(t *testing.T) {
	for c := range 256 {
		b := string([]byte{byte(c)})
		for _, text := range []string{b, "a" + b, b + "a", "LK-12345" + b, "LK-" + b + "12345", "L" + b + "-123456", "LK-123456" + b} {
			sameForms(t, text)
		}
	}
	for n := range 45 {
		sameForms(t, strings.Repeat("a", n))
		sameForms(t, "LK-"+strings.Repeat("1", n))
	}
	if !resolver.IsOrderID("LK-000000") || !resolver.IsName("LK-000000") {
		t.Error("an id is refused")
	}
}

func propForms(t *rapid.T) { sameForms(t, rapid.String().Draw(t, "text")) }

func TestForms(t *testing.T) { rapid.Check(t, propForms) }
func FuzzForms(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propForms)) }
