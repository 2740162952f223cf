package blackbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
)

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.log", "a.log", true},
		{"*.log", "deep/down/a.log", true},
		{"*.log", "a.log.txt", false},
		{"cache/**", "cache/deep/a", true},
		{"cache/**", "cache", true},
		{"cache/**", "my/cache/a", false},
		{"__pycache__", "lib/__pycache__/a.pyc", true},
		{"lib/*.pyc", "lib/a.pyc", true},
		{"lib/*.pyc", "lib/deep/a.pyc", false},
		{"*", ".", false},
	} {
		if got := (globs{c.pattern}).match(c.path); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.path, got)
		}
	}
	if (globs{"["}).check() == nil {
		t.Error("a broken pattern is taken")
	}
}

// Whatever a file is called, its points survive as text and differ from those of other files.
func TestEscapePath_PointsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`[ -~\x01\t\n%\[\],;#<>é]{1,20}`).Draw(t, "a")
		b := rapid.StringMatching(`[ -~\x01\t\n%\[\],;#<>é]{1,20}`).Draw(t, "b")
		c := Call{"write", escapePath(a), 3}
		p := c.Point(faults.After)
		back, err := faults.ParsePoint(p.String())
		if err != nil || back != p {
			t.Fatalf("%q: %v, %v", a, back, err)
		}
		if got, err := callOf(back); err != nil || got != c {
			t.Fatalf("%q: %v, %v", a, got, err)
		}
		if a != b && escapePath(a) == escapePath(b) {
			t.Fatalf("%q and %q look alike", a, b)
		}
	})
}

// However a stream is cut into writes, its lines and what is kept of it are the same.
func TestSink_WritesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"acked 1\n", "acked 2\n", "other\n", "acked", " ", "\n", "x"})).Draw(t, "text"), "")
		whole := &sink{limit: 10, pattern: regexp.MustCompile(`^acked (.*)`)}
		_, _ = whole.Write([]byte(text))
		parts := &sink{limit: 10, pattern: whole.pattern}
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			_, _ = parts.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		if !slices.Equal(whole.acks, parts.acks) || whole.output().String() != parts.output().String() {
			t.Fatalf("%v and %v; %q and %q", whole.acks, parts.acks, whole.output(), parts.output())
		}
		if o := whole.output(); o.Bytes != int64(len(text)) || len(o.Head) > 10 || len(o.Tail) > 10 {
			t.Fatalf("%+v", o)
		}
	})
}

// What is over a bound is not left out in silence.
func TestSink_Bounds(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		acks int
		over string
	}{
		"a long line":  {"acked x\nacked " + strings.Repeat("x", maxLineBytes) + "\n", 1, "an acknowledged line is longer than 65536 bytes"},
		"another long": {"acked x\n" + strings.Repeat("y", 2*maxLineBytes) + "\n", 1, ""},
		"after it":     {strings.Repeat("y", 2*maxLineBytes) + "\nacked x\n", 1, ""},
		"many":         {strings.Repeat("acked x\n", maxAcked), maxAcked, ""},
		"too many":     {strings.Repeat("acked x\n", maxAcked+1), maxAcked, "a run acknowledges more than 100000 lines"},
	} {
		s := &sink{limit: 10, pattern: regexp.MustCompile(`^acked (x+)$`)}
		_, _ = s.Write([]byte(c.text))
		if len(s.acks) != c.acks || (s.over != nil) != (c.over != "") || s.over != nil && (!errors.Is(s.over, ErrTooLarge) || !strings.HasSuffix(s.over.Error(), c.over)) {
			t.Errorf("%s: %d acknowledged, %v", name, len(s.acks), s.over)
		}
	}
}

func TestMeter_Estimates(t *testing.T) {
	now := time.Unix(0, 0)
	var got []Progress
	m := newMeter(func(p Progress) { got = append(got, p) }, func() time.Time { return now })
	m.phase("kill", 4)
	now = now.Add(2 * time.Second)
	m.step(1)
	now = now.Add(4 * time.Second)
	m.step(2)
	want := []Progress{{"kill", 0, 4, 0, 0}, {"kill", 1, 4, 1, 6 * time.Second}, {"kill", 2, 4, 2, 6 * time.Second}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// Names are lost from the end only; a sync of the folder, or the first of a new file, makes them durable.
func TestDisk_Names(t *testing.T) {
	file := func(n int) name { return name{kind: entryFile, file: n} }
	log := &powerLog{names: map[string]name{}, files: map[int][]byte{}, ops: []powerOp{
		{kind: opMake, path: "a", made: file(0)},
		{kind: opMake, path: "d", made: name{kind: entryFolder}},
		{kind: opMake, path: "d/b", made: file(1)},
		{kind: opSync, file: 0},                 // makes a durable, and nothing after it
		{kind: opSyncFolder, path: "d"},         // makes d/b durable, and with it d
		{kind: opRename, path: "d", to: "e"},    // moves what is below
		{kind: opRename, path: "a", to: "e/a"},  //
		{kind: opSync, file: 0},                 // not its first: the move stays pending
		{kind: opRemove, path: "e/b"},           //
		{kind: opSyncAll},                       //
		{kind: opExchange, path: "e", to: "e2"}, // of which one does not exist: nothing, as the call would have failed
	}}
	d := newDisk(log)
	for i, want := range []struct {
		pending int
		durable string
	}{{1, ""}, {2, ""}, {3, ""}, {2, "a"}, {0, "a d d/b"}, {1, "a d d/b"}, {2, "a d d/b"}, {2, "a d d/b"}, {3, "a d d/b"}, {0, "e e/a"}} {
		d.do(i)
		var paths []string
		for p := range d.names {
			paths = append(paths, p)
		}
		slices.Sort(paths)
		if got := strings.Join(paths, " "); len(d.moves) != want.pending || got != want.durable {
			t.Errorf("after operation %d: %d pending, durable %q, not %+v", i, len(d.moves), got, want)
		}
	}
}

// What a file has beside its bytes is lost like a name, and made durable by each sync of the file, which leaves names
// pending; a further name of a file has what the file has.
func TestDisk_Marks(t *testing.T) {
	mark := func(mode fs.FileMode) powerOp { return powerOp{kind: opMark, made: name{mode: mode}} }
	log := &powerLog{names: map[string]name{}, files: map[int][]byte{}, ops: []powerOp{
		{kind: opMake, path: "a", made: name{kind: entryFile, mode: 0o600}},
		mark(0o640),
		{kind: opSync}, // makes both durable
		{kind: opRename, path: "a", to: "b"},
		{kind: opMake, path: "c", made: name{kind: entryFile, mode: 0o640, again: true}},
		mark(0o400),
		{kind: opSync}, // not its first: the names stay pending
	}}
	d := newDisk(log)
	for i, want := range []string{"1 0600 -", "2 0640 -", "0 0640 0640", "1 0640 0640", "2 0640 0640", "3 0400 0640", "2 0400 0400"} {
		d.do(i)
		after, durable := "-", "-"
		for p, n := range d.namesAfter(0) {
			if after = fmt.Sprintf("%04o", uint32(n.mode)); p == "c" && n.mode != d.namesAfter(0)["b"].mode {
				t.Errorf("after operation %d: the names of one file differ", i)
			}
		}
		if n, ok := d.names["a"]; ok {
			durable = fmt.Sprintf("%04o", uint32(n.mode))
		}
		if got := fmt.Sprintf("%d %s %s", len(d.moves), after, durable); got != want {
			t.Errorf("after operation %d: %s, not %s", i, got, want)
		}
	}
}

// A file is its number, not its name: the writes of one that was removed don't show in its successor.
func TestDisk_FilesAreNotNames(t *testing.T) {
	log := &powerLog{calls: []Call{{"write", "j", 1}}, names: map[string]name{}, files: map[int][]byte{}, ops: []powerOp{
		{kind: opMake, path: "j", made: name{kind: entryFile, file: 0}},
		{kind: opWrite, file: 0, data: []byte("old")},
		{kind: opRemove, path: "j"},
		{kind: opMake, path: "j", made: name{kind: entryFile, file: 1}},
		{kind: opWrite, file: 1, off: 1, data: []byte("new")},
	}}
	s := enumerate(log, PowerLimits{}.withDefaults())
	set := &ImageSet{log: log, chosen: s.list}
	slices.SortFunc(set.chosen, func(a, b found) int { return a.recipe.ops - b.recipe.ops })
	got := map[string]bool{}
	for im := range set.All() {
		got[string(im.File("j"))] = true
	}
	for text := range got {
		if !slices.Contains([]string{"", "old", "\x00new"}, text) {
			t.Errorf("%q is possible", text)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d different texts, not 3", len(got))
	}
}

// The digest that images are told apart by is the one of the folder that they make.
func TestEnumerate_DigestIsTheFolders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log := randomLog(t)
		s := enumerate(log, PowerLimits{Subsets: 4, Names: 3}.withDefaults())
		list, _ := s.choose()
		set := &ImageSet{log: log, chosen: list}
		seen := map[digest]bool{}
		i := 0
		for im := range set.All() {
			sum := im.folder.digest("", nil)
			if sum != list[i].key.sum {
				t.Fatalf("%s: the folder is another one", im.Cut)
			}
			if seen[sum] {
				t.Fatalf("%s: twice", im.Cut)
			}
			seen[sum] = true
			i++
		}
	})
}

func randomLog(t *rapid.T) *powerLog {
	log := &powerLog{calls: []Call{{"write", "a", 1}}, names: map[string]name{"a": {kind: entryFile}}, files: map[int][]byte{0: []byte("base")}}
	paths := rapid.SampledFrom([]string{"a", "b", "c"})
	for n := rapid.IntRange(1, 12).Draw(t, "n"); n > 0; n-- {
		op := powerOp{kind: rapid.SampledFrom([]opKind{opWrite, opCut, opSync, opSyncFolder, opSyncAll, opMake, opRename, opRemove, opMark, opTime}).Draw(t, "kind")}
		op.file = rapid.IntRange(0, 2).Draw(t, "file")
		op.path, op.to = paths.Draw(t, "path"), paths.Draw(t, "to")
		switch op.kind {
		case opSync:
			op.part = randomPart(t)
		case opMark:
			op.path, op.made.mode = "", fs.FileMode(rapid.IntRange(0, 1).Draw(t, "mode"))
		case opWrite:
			op.off = int64(rapid.IntRange(0, 3).Draw(t, "off"))
			op.data = []byte(strings.Repeat(rapid.SampledFrom([]string{"x", "yz"}).Draw(t, "data"), rapid.SampledFrom([]int{1, 600}).Draw(t, "times")))
		case opCut:
			op.size = int64(rapid.IntRange(0, 5).Draw(t, "size"))
		case opMake:
			op.made = name{kind: entryFile, file: op.file, again: rapid.Bool().Draw(t, "again")}
		case opTime:
			op.path, op.made.time, op.made.timed, op.made.since = "", time.Unix(1, 0), true, len(log.ops)+1
		case opSyncFolder:
			op.path = "."
		}
		log.ops = append(log.ops, op)
	}
	return log
}

func randomPart(t *rapid.T) span {
	from := rapid.Int64Range(0, 8).Draw(t, "from")
	return span{from, from + rapid.Int64Range(0, 4).Draw(t, "bytes")}
}

// What a sync of a part has made durable no loss takes away, and what is lost of the rest is not put in another order.
func TestDisk_SyncOfAPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		log, full := &powerLog{files: map[int][]byte{0: []byte("base")}}, []byte("base")
		d := newDisk(log)
		for n := rapid.IntRange(1, 10).Draw(t, "n"); n > 0; n-- {
			op := powerOp{kind: rapid.SampledFrom([]opKind{opWrite, opWrite, opWrite, opCut, opSync}).Draw(t, "kind")}
			switch op.kind {
			case opWrite:
				op.off, op.data = rapid.Int64Range(0, 8).Draw(t, "off"), []byte(rapid.StringMatching("[a-z]{1,5}").Draw(t, "data"))
			case opCut:
				op.size = rapid.Int64Range(0, 10).Draw(t, "size")
			case opSync:
				op.part = randomPart(t)
			}
			log.ops = append(log.ops, op)
			d.do(len(log.ops) - 1)
			full = applyData(full, &op)
			if got := d.content(0, loss{torn: -1}); !bytes.Equal(got, full) {
				t.Fatalf("with nothing lost it holds %q, not %q", got, full)
			}
			d.dataLosses(PowerLimits{}.withDefaults(), func(lost []int, _ bool) {
				got := d.content(0, loss{lost: lost, torn: -1})
				if want := cutOut(full, op.part); op.kind == opSync && cutOut(got, op.part) != want {
					t.Fatalf("%q holds %q in %v, not %q", got, cutOut(got, op.part), op.part, want)
				}
			})
		}
	})
}

// cutOut returns a part of a file, with zeros for what is not there.
func cutOut(content []byte, part span) string {
	return string(append(bytes.Clone(content), make([]byte, part.end)...)[part.from:part.end])
}

func FuzzParseCut(f *testing.F) {
	f.Add("power-loss sys.fsync[db]/after#3 ops=12 lost=9,11 names=1 torn=12@512 state=2")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCut(text)
		if err != nil {
			return
		}
		if back, err := ParseCut(c.String()); err != nil || back.String() != c.String() {
			t.Errorf("%q reads back as %s, %v", c, back, err)
		}
	})
}

// However many violations there are, each class keeps one with the fewest kills.
func TestReport_ClassesBeyondTheBound(t *testing.T) {
	s := &sweep{report: &Report{}, classes: map[class]bool{}}
	c := &Column{Violations: map[string]int{}}
	for i := range maxViolations + 500 {
		s.add(c, Violation{Invariant: DoubleWrite, Call: "write", Path: fmt.Sprintf("run-%d.json", i), Plan: "kill a; kill b"})
	}
	s.add(c, Violation{Invariant: LostWrite, Call: "write", Path: "run-1.json", Plan: "kill a; kill b"})
	s.add(c, Violation{Invariant: LostWrite, Call: "write", Path: "run-1.json", Plan: "kill c", PowerLoss: true})
	s.report.Violations[7].Plan = "kill d"
	want := []string{"kill d", "kill a; kill b", "kill c"}
	var got []string
	for _, v := range s.report.Smallest() {
		got = append(got, v.Plan)
	}
	if !slices.Equal(got, want) || len(s.report.Violations) != maxViolations+2 || c.Violations[DoubleWrite] != maxViolations+500 {
		t.Errorf("smallest %q, %d listed, counted %v", got, len(s.report.Violations), c.Violations)
	}
}

// A sweep that fails says how many of the states that its kills led to it knows nothing of.
func TestReport_StatesNotRecovered(t *testing.T) {
	s := &sweep{b: &bench{}, report: &Report{Kills: Column{Cases: 2, Landed: 2}}, nodes: map[nodeKey]*node{
		{acked: digest{1}}: {rec: &recovery{}}, {acked: digest{2}}: {},
	}}
	s.whatIsMissing(context.DeadlineExceeded)
	if got, want := strings.Join(s.over, "; "), "the sweep was interrupted after 2 of 2 kills, with 1 of 2 states recovered"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestLastLines(t *testing.T) {
	for name, c := range map[string]struct{ said, want string }{
		"nothing": {"\n \n", ""},
		"the end": {"one\ntwo\n\nthree\nfour\n", ": two / three / four"},
		"Python":  {"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nValueError: amount\n", `: File "a.py", line 1, in <module> /     f() / ValueError: amount`},
		"Node":    {"file:///a.mjs:1\nthrow new Error(1)\n^\n\nError: amount\n    at f (a.mjs:1:7)\n    at g (b.mjs:1:7)\n\nNode.js v20.20.2\n", ": Error: amount"},
		"Node, with a cause": {"TypeError: fetch failed\n    at f (a.mjs:1:7) {\n  [cause]: Error: connect ECONNREFUSED\n      at g (b.mjs:1:7) {\n    errno: -111\n  }\n}\n\nNode.js v20.20.2\n",
			": [cause]: Error: connect ECONNREFUSED /     errno: -111 /   }"},
		"Go":             {"starting\npanic: amount\n\ngoroutine 1 [running]:\nmain.main()\n\t/a/main.go:5 +0x1d\nexit status 2\n", ": panic: amount / goroutine 1 [running]: / main.main()"},
		"Ruby":           {"a.rb:1:in `f': amount (RuntimeError)\n\tfrom a.rb:3:in `<main>'\n", ": a.rb:1:in `f': amount (RuntimeError)"},
		"long":           {strings.Repeat("x", 1000), ": ..." + strings.Repeat("x", 400)},
		"a long message": {strings.Repeat("x", 1000) + "\n    at f (a.mjs:1:7)\n", ": " + strings.Repeat("x", 398) + "..."},
	} {
		if got := lastLines(Output{Head: []byte(c.said), Bytes: int64(len(c.said))}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
