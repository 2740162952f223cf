package faults_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
)

func TestNearest(t *testing.T) {
	verbs := []string{"run", "kill", "lose-request", "lose-response", "lag"}
	for _, c := range []struct {
		name, typed string
		candidates  []string
		want        string
	}{
		{"the same", "kill", verbs, "kill"},
		{"one letter less", "kil", verbs, "kill"},
		{"one letter more", "killl", verbs, "kill"},
		{"another letter", "kibl", verbs, "kill"},
		{"two of twelve", "lose-reqeust", verbs, "lose-request"},
		{"a third of three", "rum", verbs, "run"},
		{"more than a third", "rxx", verbs, ""},
		{"two of four", "kixx", verbs, ""},
		{"nothing like it", "explode", verbs, ""},
		{"nothing typed", "", verbs, ""},
		{"no candidates", "kill", nil, ""},
		{"a tie goes to the earlier", "lab", []string{"lag", "lap"}, "lag"},
		{"the closer one though later", "lose-respons", []string{"lose-request", "lose-response"}, "lose-response"},
	} {
		t.Run(c.name, func(t *testing.T) { same(t, "nearest", faults.Nearest(c.typed, c.candidates), c.want) })
	}
}

// A name with one letter changed, out of three or more, finds its way back when nothing else is there.
func TestNearest_OneSlip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := []byte(rapid.StringMatching(`[a-z]{3,12}`).Draw(t, "name"))
		typed := append([]byte(nil), name...)
		typed[rapid.IntRange(0, len(name)-1).Draw(t, "at")] = '#'
		if got := faults.Nearest(string(typed), []string{"################", string(name)}); got != string(name) {
			t.Fatalf("%s gave %q", typed, got)
		}
	})
}
