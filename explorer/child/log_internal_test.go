package child

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// logOf returns a log, the file that a child would write to, and what was told.
func logOf(t *testing.T) (*passLog, *os.File, *[]string) {
	t.Helper()
	f, err := newLogFile()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	told := &[]string{}
	return &passLog{file: f, now: time.Unix(7, 0), tell: func(e history.Event) { *told = append(*told, e.Point()+" "+e.Where) }}, f, told
}

// Every line is told once and in order, in whatever pieces it comes; half a line is not one.
func TestPassLog_CatchUp(t *testing.T) {
	l, f, told := logOf(t)
	var want []string
	text := ""
	for i := range 300 {
		p := faults.Point{Site: faults.Site{Seam: "store", Operation: "save"}, Position: faults.After, N: i + 1}
		where := strings.Repeat("a folder/", i) + "main.go:1\n\"x\""
		text += string(passLine(p, where))
		want = append(want, p.String()+" "+where)
	}
	for i := 0; i < len(text); i += 997 {
		if _, err := f.WriteString(text[i:min(i+997, len(text))]); err != nil {
			t.Fatal(err)
		}
		if err := l.catchUp(); err != nil {
			t.Fatal(err)
		}
		if whole := strings.Count(text[:min(i+997, len(text))], "\n"); len(*told) != whole {
			t.Fatalf("%d of %d lines told", len(*told), whole)
		}
	}
	if d := cmp.Diff(want, *told); d != "" {
		t.Error(d)
	}
}

// After an error nothing more is told, and the error stays.
func TestPassLog_Nonsense(t *testing.T) {
	for _, line := range []string{"nonsense\n", "store.save/after#1 main.go:1\n", "store.save/after#0 \"x\"\n", "\n", strings.Repeat("x", maxLine+1)} {
		l, f, told := logOf(t)
		good := string(passLine(faults.Point{Site: faults.Site{Seam: "store", Operation: "save"}, N: 1}, ""))
		if _, err := f.WriteString(good + line); err != nil {
			t.Fatal(err)
		}
		if err := l.catchUp(); err == nil {
			t.Errorf("%.40q: no error", line)
		}
		if _, err := f.WriteString(good); err != nil {
			t.Fatal(err)
		}
		if err := l.catchUp(); err == nil || len(*told) != 1 {
			t.Errorf("%.40q: %v, %d told", line, err, len(*told))
		}
	}
}

func FuzzParsePass(f *testing.F) {
	f.Add(`store.save/after#1 "main.go:1"`)
	f.Add(`sql.exec[shop.db]/before#2 ""`)
	f.Add(`store.save/after#1`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := parsePass(line)
		if err != nil {
			return
		}
		p, err := faults.ParsePoint(e.Point())
		if err != nil {
			t.Fatal(err)
		}
		again, err := parsePass(strings.TrimSuffix(string(passLine(p, e.Where)), "\n"))
		if d := cmp.Diff(e, again); err != nil || d != "" {
			t.Errorf("%v %s", err, d)
		}
	})
}
