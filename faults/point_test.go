package faults_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
)

func TestParsePoint(t *testing.T) {
	for _, text := range []string{
		"payment.request_refund/after#1", "a.b/before#1", "a.b/during-lost#2", "a.b/during#1000000",
		"file.write[dir/x.txt]/after#1", "sql.exec[a.b]/before#3", "s-1_x.op-2_y/after#9",
	} {
		t.Run(text, func(t *testing.T) {
			p, err := faults.ParsePoint(text)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "text", p.String(), text)
			same(t, "name", p.Name(), text[:strings.LastIndexByte(text, '#')])
		})
	}
}

func TestParsePoint_Refuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "no number": "a.b/after", "no position": "a.b#1", "no seam": ".b/after#1", "no operation": "a./after#1",
		"no dot": "ab/after#1", "a digit first": "1a.b/after#1", "a dash first": "-a.b/after#1", "a blank": "a.b /after#1",
		"not ASCII": "é.b/after#1", "long name": strings.Repeat("a", 65) + ".b/after#1", "empty path": "a.b[]/after#1",
		"path not closed": "a.b[x/after#1", "path not opened": "a.bx]/after#1", "more behind the path": "a.b[x]y/after#1",
		"two paths": "a.b[x][y]/after#1", "a number in a path": "a.b[x#1]/after#1", "a comma in a path": "a.b[x,y]/after#1", "a semicolon in a path": "a.b[x;y]/after#1",
		"a blank in a path": "a.b[x y]/after#1", "not ASCII in a path": "a.b[é]/after#1", "two dots": "a.b.c/after#1", "three sides": "a.b/after/before#1x",
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := faults.ParsePoint(text); err == nil {
				t.Errorf("%q was taken as %+v", text, p)
			}
		})
	}
}

func TestPoint_PrintParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := points().Draw(t, "point")
		back, err := faults.ParsePoint(p.String())
		if err != nil || back != p {
			t.Fatalf("%+v came back as %+v: %v", p, back, err)
		}
		site, err := faults.ParseSite(p.Site.String())
		if err != nil || site != p.Site {
			t.Fatalf("%+v came back as %+v: %v", p.Site, site, err)
		}
	})
}

func FuzzParsePoint(f *testing.F) {
	for _, s := range []string{"a.b/after#1", "file.write[x/y]/during-lost#12", "a.b/#1", "a.b[/after#1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := faults.ParsePoint(text)
		if err == nil && p.String() != text {
			t.Errorf("%q prints as %q", text, p)
		}
	})
}

// Positions come in the order in which a call passes them.
func TestPosition(t *testing.T) {
	for i, name := range []string{"before", "during-lost", "during", "after"} {
		p, ok := faults.ParsePosition(name)
		same(t, name, [2]any{p, ok}, [2]any{faults.Position(i), true})
		same(t, name, p.String(), name)
	}
	_, ok := faults.ParsePosition("position(9)")
	same(t, "parsed", ok, false)
	same(t, "text", faults.Position(9).String(), "position(9)")
	same(t, "text", faults.Position(-1).String(), "position(-1)")
}

func TestVerbs(t *testing.T) {
	atPoint := map[faults.Verb]bool{"kill": true, "lose-request": true, "lose-response": true, "deliver-late": true,
		"unavailable": true, "refuse": true, "lag": true, "pause": true}
	same(t, "verbs", faults.Verbs(), []faults.Verb{"run", "kill", "lose-request", "lose-response", "deliver-late", "unavailable",
		"refuse", "lag", "pause", "advance", "world", "resumers"})
	for _, v := range append(faults.Verbs(), "unheard-of") {
		same(t, string(v)+" stands at a point", v.AtPoint(), atPoint[v])
		same(t, string(v)+" stands anywhere", v.AnyPosition(), v == "kill" || v == "pause")
	}
}
