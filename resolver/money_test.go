package resolver_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/resolver"
)

func TestParseCents(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
	}{
		{"9.95", 995}, {"119", 119_00}, {"119.0", 119_00}, {"22.5", 22_50}, {"0.05", 5}, {"0", 0},
		{"1.000", 1_00}, {"1.500000", 1_50}, {"999999999.99", 999_999_999_99}, {"007.10", 7_10},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := resolver.ParseCents(c.text)
			must(t, err)
			same(t, "cents", got, c.want)
		})
	}
}

func TestParseCents_Refuses(t *testing.T) {
	for _, text := range []string{"", ".", ".5", "1.", "-1", "+1", "1e2", "1.005", "0.001", "1,50", "1 ", " 1", "1.2.3", "0x1", "NaN", "1000000000", "١", "1.٥", "1_0"} {
		t.Run(strconv.Quote(text), func(t *testing.T) {
			if got, err := resolver.ParseCents(text); err == nil {
				t.Errorf("taken as %d", got)
			} else if !strings.Contains(err.Error(), strconv.Quote(text)) {
				t.Errorf("the error doesn't show the text: %v", err)
			}
		})
	}
}

func TestFormatCents(t *testing.T) {
	for want, cents := range map[string]int64{
		"0.00": 0, "0.05": 5, "9.95": 995, "119.00": 119_00, "-0.05": -5, "-9.95": -995,
		"92233720368547758.07": math.MaxInt64, "-92233720368547758.08": math.MinInt64,
	} {
		t.Run(want, func(t *testing.T) { same(t, "text", resolver.FormatCents(cents), want) })
	}
}

func TestMoney_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(0, 999_999_999_99).Draw(t, "cents")
		back, err := resolver.ParseCents(resolver.FormatCents(cents))
		if err != nil || back != cents {
			t.Fatalf("%d came back as %d: %v", cents, back, err)
		}
	})
}

// What is taken as an amount reads back as the same amount, and as the number it says.
func FuzzParseCents(f *testing.F) {
	for _, s := range []string{"9.95", "119", "22.0", "1.", "-1", "1e9", "999999999.99", "٣.٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cents, err := resolver.ParseCents(text)
		if err != nil {
			return
		}
		back, err := resolver.ParseCents(resolver.FormatCents(cents))
		if err != nil || back != cents {
			t.Errorf("%q is %d, which came back as %d: %v", text, cents, back, err)
		}
		if number, err := strconv.ParseFloat(text, 64); err != nil || math.Round(number*100) != float64(cents) {
			t.Errorf("%q is %d cents, as a number %v: %v", text, cents, number, err)
		}
	})
}
