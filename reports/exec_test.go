package reports_test

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/reports"
)

func execText(w io.Writer, e history.Exec) error { return reports.ExecText(w, e, reports.Style{}) }

// Text lists few violations, but one of every kind of crash and invariant that the table counts.
func TestExecText_ListsEveryKind(t *testing.T) {
	kill := func(invariant, n string) history.ExecViolation {
		return history.ExecViolation{Invariant: invariant, Plan: "kill sys.write[f]/after#" + n, Detail: "d", Replay: "r"}
	}
	cut := func(invariant, n string) history.ExecViolation {
		v := kill(invariant, n)
		v.Plan = "power-loss sys.write[f]/after#" + n
		return v
	}
	for name, c := range map[string]struct {
		found []history.ExecViolation
		want  []string
	}{
		"one kind": {[]history.ExecViolation{kill("double-write", "1"), kill("double-write", "2"), kill("double-write", "3"), kill("double-write", "4")},
			[]string{"double-write", "kill 1", "double-write", "kill 2", "double-write", "kill 3", "... and 1 more; --format json lists them"}},
		"room for another": {[]history.ExecViolation{kill("double-write", "1"), kill("double-write", "2"), kill("double-write", "3"), kill("lost-write", "4")},
			[]string{"double-write", "kill 1", "double-write", "kill 2", "lost-write", "kill 4", "... and 1 more; --format json lists them"}},
		"more kinds than room": {[]history.ExecViolation{kill("double-write", "1"), kill("double-write", "2"), kill("lost-write", "3"), cut("double-write", "4"),
			cut("state-mismatch", "5"), cut("state-mismatch", "6")},
			[]string{"double-write", "kill 1", "lost-write", "kill 3", "double-write", "power-loss 4", "state-mismatch", "power-loss 5",
				"... and 2 more; --format json lists them"}},
		"all": {[]history.ExecViolation{kill("double-write", "1"), cut("double-write", "2")}, []string{"double-write", "kill 1", "double-write", "power-loss 2"}},
	} {
		text := written(t, execText, history.Exec{Violations: c.found, Complete: true})
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^([a-z-]+): d$|^  plan    (\S+) .*#(\d+)$|^(\.\.\. .*)$`).FindAllStringSubmatch(text, -1) {
			got = append(got, strings.TrimSpace(m[1]+m[2]+" "+m[3]+m[4]))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A violation of the undisturbed run is counted with those of the kills, which may be more than there are cases then.
func TestExec_UndisturbedRunIsSaid(t *testing.T) {
	e := sweep()
	said := regexp.MustCompile(`without a kill`)
	for name, write := range map[string]func(io.Writer, history.Exec) error{"text": execText, "markdown": reports.ExecMarkdown, "junit": reports.ExecJUnit} {
		if said.MatchString(written(t, write, e)) {
			t.Errorf("%s: said of kills alone", name)
		}
		bad := e
		bad.Violations = append([]history.ExecViolation{{Invariant: "odd", Plan: "run", Detail: "d", Replay: "r"}}, e.Violations...)
		if !said.MatchString(written(t, write, bad)) {
			t.Errorf("%s: not said", name)
		}
	}
}
