package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/explorer/history"
)

// ran is what one command line came to.
type ran struct {
	Code     int
	Out, Err string
}

func runs(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(context.Background(), args, &out, &errOut)
	return ran{code, out.String(), errOut.String()}
}

// shardsOf makes every shard of a command and returns the files with their reports.
func shardsOf(t *testing.T, of int, args ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for i := 1; i <= of; i++ {
		file := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		r := runs(t, append(args, "--quiet", "--format", "json", "-o", file, "--shard", fmt.Sprintf("%d/%d", i, of))...)
		if r.Code != 0 && r.Code != exitViolation && r.Code != exitUndecided {
			t.Fatalf("shard %d/%d: exit code %d\n%s", i, of, r.Code, r.Err)
		}
		files = append(files, file)
	}
	return files
}

// splitRuns are runs of each kind that can be split, with the exit code of the whole.
var splitRuns = map[string]struct {
	args string
	code int
	gate bool
}{
	"matrix, by plans":          {"matrix --mode simulate", 0, false},
	"matrix, by settings":       {"matrix --mode simulate --strategy all --provider larkfield,blind,no-key --point after-write", 0, true},
	"matrix, actions and notes": {"matrix --mode simulate --ticket T-90104,T-90103 --strategy mark-first,lookup-only --point mid-loop,after-write,checkpoint.save/after#9", 0, true},
	"matrix, a point unfilled":  {"matrix --mode simulate --point after-write,payment.operation/after#9", exitHarness, false},
	"matrix, no cell":           {"matrix --mode simulate --point payment.operation/after#9", exitHarness, false},
	"explore, one":              {"explore --strategy naive-retry", exitViolation, false},
	"explore, several":          {"explore --strategy all --provider larkfield,blind --crashes 1", exitViolation, true},
	"explore, undecided":        {"explore --strategy operation-id,id-only --max-runs 3", exitUndecided, false},
	"check":                     {"check batch transfer refund --mode simulate --crashes 1", 0, false},
}

// TestShards: the parts add up to exactly the whole, whatever their number and their order.
func TestShards(t *testing.T) {
	for name, c := range splitRuns {
		t.Run(name, func(t *testing.T) {
			if c.gate {
				forTheGate(t)
			}
			t.Parallel()
			args := strings.Fields(c.args)
			whole := runs(t, append(args, "--quiet", "--format", "json")...)
			if whole.Code != c.code {
				t.Fatalf("the whole: exit code %d\n%s", whole.Code, whole.Err)
			}
			for _, of := range []int{1, 2, 3, 7, 16} {
				files := shardsOf(t, of, args...)
				addUp(t, whole.Out, files)
				// The last first: the order of the files means nothing.
				files = append(files[len(files)-1:], files[:len(files)-1]...)
				merged := runs(t, append([]string{"merge", "--format", "json"}, files...)...)
				if diff := cmp.Diff(whole, merged); diff != "" {
					t.Errorf("%d shards (-whole +merged):\n%s", of, diff)
				}
				if of != 7 {
					continue
				}
				text := runs(t, append([]string{"merge"}, files...)...)
				if want := runs(t, append(args, "--quiet")...); text != want {
					t.Errorf("%d shards, as text (-whole +merged):\n%s", of, cmp.Diff(want, text))
				}
			}
		})
	}
}

// addUp holds the sums over the parts against the whole, without merge.
func addUp(t *testing.T, whole string, files []string) {
	t.Helper()
	if whole == "" {
		return
	}
	want, got := sums(t, []byte(whole)), map[string]int64{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for k, n := range sums(t, data) {
			got[k] += n
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%d parts (-whole +sum):\n%s", len(files), diff)
	}
}

// sums counts what can be counted in a report: cells, searches, plans and verdicts.
func sums(t *testing.T, data []byte) map[string]int64 {
	t.Helper()
	var d struct {
		Schema string
		Cells  []history.Cell
		Runs   []history.Exploration
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if d.Schema == history.ExploreSchema {
		d.Runs = make([]history.Exploration, 1)
		if err := json.Unmarshal(data, &d.Runs[0]); err != nil {
			t.Fatal(err)
		}
	}
	out := map[string]int64{}
	for _, c := range d.Cells {
		out["cells"]++
		out["effects"] += int64(c.Effects)
		out[string(c.Verdict)]++
	}
	for _, e := range d.Runs {
		out["searches"]++
		out["plans"] += e.PlansCovered
		out["violations"] += int64(len(e.Violations))
		out[string(e.Verdict())]++
	}
	return out
}

// TestShards_Kills is one run of each kind with real kills.
func TestShards_Kills(t *testing.T) {
	forTheGate(t)
	for _, line := range []string{"matrix", "check refund batch --crashes 1"} {
		args := strings.Fields(line)
		whole := runs(t, append(args, "--quiet", "--format", "json")...)
		merged := runs(t, append([]string{"merge", "--format", "json"}, shardsOf(t, 3, args...)...)...)
		if diff := cmp.Diff(whole, merged); diff != "" {
			t.Errorf("%s (-whole +merged):\n%s", line, diff)
		}
	}
}

// TestShard_Idle: a shard with nothing to do says so, and its report is no report of a run.
func TestShard_Idle(t *testing.T) {
	r := runs(t, "explore", "--quiet", "--shard", "2/2", "--format", "json")
	var d history.Explorations
	if err := json.Unmarshal([]byte(r.Out), &d); err != nil {
		t.Fatal(err)
	}
	if r.Code != 0 || len(d.Runs) != 0 || d.Shard != "2/2" || d.Part == nil || len(d.Part.Cases) != 0 || d.Part.Settings != 1 {
		t.Errorf("exit code %d\n%s", r.Code, r.Out)
	}
	if wrong := oneLine(r.Err, "shard 2/2 has nothing to do"); wrong != "" {
		t.Error(wrong)
	}
	// Alone, it is not the whole.
	file := filepath.Join(t.TempDir(), "idle.json")
	if err := os.WriteFile(file, []byte(r.Out), 0o600); err != nil {
		t.Fatal(err)
	}
	if m := runs(t, "merge", file); m.Code != exitHarness || oneLine(m.Err, "no report of shard 1/2$") != "" || m.Out != "" {
		t.Errorf("%+v", m)
	}
}

var checksumOf = regexp.MustCompile(`"checksum": "[0-9a-f]{64}",`)

// resealed returns a report that was changed with the checksum of what it holds now: what is wrong with it is
// seen all the same.
func resealed(t *testing.T, text string) string {
	t.Helper()
	var head struct{ Schema string }
	var m history.Matrix
	var e history.Explorations
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		t.Fatal(err)
	}
	matrix := head.Schema == history.MatrixSchema
	var to any = &e
	if matrix {
		to = &m
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatal(err)
	}
	var sealed any
	if matrix {
		sealed = matrixDocument(m)
	} else {
		sealed = checkDocument(e)
	}
	data, err := json.MarshalIndent(sealed, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var buildOf = regexp.MustCompile(`"build": "[0-9a-f]{64}"`)

// otherBuild returns a report as another program would have written it.
func otherBuild(t *testing.T, text string) string {
	t.Helper()
	if !buildOf.MatchString(text) {
		t.Fatalf("it names no build: %s", text)
	}
	return resealed(t, buildOf.ReplaceAllString(text, `"build": "0"`))
}

// TestMerge_Builds: parts of programs that may differ are joined, and it is said.
func TestMerge_Builds(t *testing.T) {
	files := shardsOf(t, 2, "explore", "--crashes", "0", "--strategy", "operation-id,id-only")
	if r := runs(t, append([]string{"merge"}, files...)...); r.Code != 0 || r.Err != "" {
		t.Errorf("of one build: exit code %d, %s", r.Code, r.Err)
	}
	data, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[1], []byte(otherBuild(t, string(data))), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runs(t, append([]string{"merge"}, files...)...)
	if wrong := oneLine(r.Err, "different builds of version"); !cli.NamesCode(cli.Version()) && wrong != "" || r.Code != 0 {
		t.Errorf("of two builds: exit code %d, %s", r.Code, wrong)
	}
}

// TestMerge_Refused: what does not belong together is not joined.
func TestMerge_Refused(t *testing.T) {
	simulated := []string{"matrix", "--mode", "simulate"}
	parts := shardsOf(t, 2, simulated...)
	other := shardsOf(t, 2, append(simulated, "--seed", "2")...)
	three := shardsOf(t, 3, simulated...)
	searches := shardsOf(t, 2, "explore", "--crashes", "0")
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	read := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	whole := write("whole.json", runs(t, append(simulated, "--format", "json")...).Out)
	second := read(parts[1])
	const noSearch = `{"schema":"paytwice.explorations/1","runs":[],"shard":"1/1","part":{"run":{"command":"check"},"settings":1,"cases":[{"plans":1}]}}`
	for name, c := range map[string]struct {
		files []string
		code  int
		says  string
	}{
		"a part missing":      {parts[:1], 3, "no report of shard 2/2$"},
		"a part twice":        {[]string{parts[0], parts[1], parts[0]}, 2, "shard 1/2 is there already, from "},
		"another seed":        {[]string{parts[0], other[1]}, 2, "scenario, mode and seed are not those of|another run"},
		"another number":      {[]string{parts[0], three[1]}, 2, "one of 3 shards"},
		"another kind":        {[]string{parts[0], searches[1]}, 2, "another kind of report"},
		"a whole run":         {[]string{whole}, 2, "holds a whole run"},
		"not there":           {[]string{filepath.Join(dir, "none.json")}, 2, "none.json: no such file"},
		"a folder":            {[]string{dir}, 2, "is a directory"},
		"nothing":             {[]string{write("empty.json", "")}, 2, "empty.json: no report: unexpected end"},
		"cut off":             {[]string{parts[0], write("cut.json", second[:len(second)/2])}, 2, "cut.json: no report"},
		"another schema":      {[]string{write("history.json", `{"schema":"paytwice.history/1"}`)}, 2, `schema "paytwice.history/1" is none of`},
		"another version":     {[]string{parts[0], write("old.json", resealed(t, strings.Replace(second, `"version": "`, `"version": "0.0.1-`, 1)))}, 2, `written by version "0.0.1-`},
		"an unknown field":    {[]string{write("new.json", strings.Replace(second, `"seed"`, `"sneed":1,"seed"`, 1))}, 2, `unknown field "sneed"`},
		"a cell too many":     {[]string{parts[0], write("more.json", strings.Replace(second, `"items": 1`, `"items": 0`, 1))}, 2, "1 items are no case's"},
		"a case of its own":   {[]string{parts[0], write("own.json", strings.Replace(second, `"plan": 1`, `"plan": 9`, 1))}, 2, "case 1.9 is no case"},
		"a case that is lost": {[]string{parts[0], write("lost.json", resealed(t, strings.ReplaceAll(second, `"plans": 3`, `"plans": 4`)))}, 3, "1 or more cases are in none"},
		"a shard of nothing":  {[]string{write("nobody.json", `{"schema":"paytwice.matrix/1","shard":"1/2"}`)}, 2, "does not say of what"},
		"no shard":            {[]string{write("bad.json", strings.Replace(second, `"2/2"`, `"3/2"`, 1))}, 2, `"3/2" is no shard`},
		"nothing to join":     {nil, 2, "needs REPORT.json"},
		"changed by hand":     {[]string{parts[0], write("edited.json", strings.Replace(second, `"effects": 2`, `"effects": 1`, 1))}, 2, "not as it was written"},
		"no checksum":         {[]string{parts[0], write("unsealed.json", checksumOf.ReplaceAllString(second, ""))}, 2, "not as it was written"},
		"a field twice":       {[]string{parts[0], write("twice.json", strings.Replace(second, `"seed"`, `"seed":1,"seed"`, 1))}, 2, `"seed" is there twice`},
		"a field's name":      {[]string{parts[0], write("case.json", strings.Replace(second, `"seed"`, `"Seed"`, 1))}, 2, `"Seed", .* is no field's name`},
		"not struck":          {[]string{parts[0], write("missed.json", resealed(t, strings.Replace(second, `"landed": true`, `"landed": false`, 1)))}, 3, "1 of 6 cells are of a plan that did not strike"},
		"a case of no search": {[]string{write("nosearch.json", resealed(t, noSearch))}, 2, "case 0.0 is 0 searches of 1"},
		"no settings":         {[]string{write("nosettings.json", resealed(t, strings.Replace(strings.Replace(noSearch, `"settings":1`, `"settings":0`, 1), `{"plans":1}`, "", 1)))}, 2, "a run of 0 settings"},
	} {
		r := runs(t, append([]string{"merge", "--format", "json"}, c.files...)...)
		if wrong := oneLine(r.Err, c.says); r.Code != c.code || wrong != "" || r.Out != "" && name != "not struck" {
			t.Errorf("%s: exit code %d, %s%s", name, r.Code, wrong, r.Out)
		}
	}
}

// stopAfter runs a command whose context ends after some steps of its progress, and returns its report.
func stopAfter(t *testing.T, steps int, args ...string) (string, int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	file := filepath.Join(t.TempDir(), "part.json")
	var out bytes.Buffer
	code := run(ctx, append(args, "--format", "json", "-o", file), &out, &steppedWriter{left: steps, stop: stop})
	return file, code
}

// steppedWriter ends a context after some lines. Progress is said on every step here.
type steppedWriter struct {
	left int
	stop func()
}

func (w *steppedWriter) Write(p []byte) (int, error) {
	if w.left--; w.left <= 0 {
		w.stop()
	}
	return len(p), nil
}

// TestResume: an interrupted run that goes on ends as the run that was not interrupted, wherever it was.
func TestResume(t *testing.T) {
	forTheGate(t)
	old := plainEvery
	plainEvery = 0
	defer func() { plainEvery = old }()
	for _, line := range []string{
		"matrix --mode simulate --workers 1",
		"matrix --mode simulate --workers 2 --strategy all --provider larkfield,blind",
		"matrix --mode simulate --shard 2/3 --strategy all",
		"matrix --mode simulate --shard 2/3 --point all",
		"explore --strategy all --crashes 1",
		"explore --crashes 2",
		"check batch transfer refund --mode simulate --crashes 1",
	} {
		args := strings.Fields(line)
		whole := runs(t, append(args, "--quiet", "--format", "json")...)
		for _, steps := range []int{1, 2, 5} {
			file, code := stopAfter(t, steps, args...)
			if steps > 2 && code == whole.Code {
				continue // It was done by then.
			}
			if code != exitUndecided && code != exitViolation {
				t.Errorf("%s, interrupted: exit code %d", line, code)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var d struct {
				LeftOut any           `json:"left_out"`
				Part    *history.Part `json:"part"`
			}
			if err := json.Unmarshal(data, &d); err != nil || d.Part == nil || !strings.Contains(fmt.Sprint(d.LeftOut), "interrupted") {
				t.Fatalf("%s, interrupted: %v\n%s", line, err, data)
			}
			if m := runs(t, "merge", file); m.Code != exitHarness && !strings.Contains(line, "shard") {
				t.Errorf("%s: merge of an interrupted run: %+v", line, m)
			}
			again := runs(t, append(args, "--quiet", "--format", "json", "--resume", file)...)
			if diff := cmp.Diff(whole, again); diff != "" {
				t.Errorf("%s, interrupted after %d (-whole +resumed):\n%s", line, steps, diff)
			}
		}
	}
}

// TestResume_Taken: what was done is taken and not done again.
func TestResume_Taken(t *testing.T) {
	old := plainEvery
	plainEvery = 0
	defer func() { plainEvery = old }()
	args := []string{"matrix", "--mode", "simulate", "--workers", "1"}
	file, _ := stopAfter(t, 3, args...)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// A mark that no run would make shows where a cell came from.
	marked := resealed(t, strings.Replace(string(data), `"model_calls": 2`, `"model_calls": 77`, 1))
	if err := os.WriteFile(file, []byte(marked), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runs(t, append(args, "--quiet", "--format", "json", "--resume", file)...)
	if n := strings.Count(r.Out, `"model_calls": 77`); r.Code != 0 || n != 1 || strings.Count(r.Out, `"model_calls"`) != 6 {
		t.Errorf("exit code %d, %d marks\n%s", r.Code, n, r.Out)
	}
}

// TestResume_Refused: only the same run goes on.
func TestResume_Refused(t *testing.T) {
	old := plainEvery
	plainEvery = 0
	defer func() { plainEvery = old }()
	file, _ := stopAfter(t, 3, "matrix", "--mode", "simulate", "--workers", "1")
	whole := filepath.Join(t.TempDir(), "whole.json")
	command(t, 0, "matrix", "--mode", "simulate", "--format", "json", "-o", whole)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.json")
	if err := os.WriteFile(other, []byte(otherBuild(t, string(data))), 0o600); err != nil {
		t.Fatal(err)
	}
	searched, _ := stopAfter(t, 1, "explore", "--strategy", "operation-id,naive-retry", "--crashes", "1")
	for line, says := range map[string]string{
		"explore batch --resume SEARCHED":                               `it is of another run: "paytwice explore refund", not "paytwice explore batch"$`,
		"check refund --resume SEARCHED":                                `it is of another run: "paytwice explore refund", not "paytwice check refund"$`,
		"matrix --mode simulate --workers 1 --resume OTHER":             "written by another build of version",
		"matrix --mode simulate --seed 2 --resume FILE":                 `--seed is its default, not "2"`,
		"matrix --mode simulate --strategy mark-first --resume FILE":    `--strategy is "\[operation-id,naive-retry\]", not "\[mark-first\]"`,
		"matrix --resume FILE":                                          `--mode is "simulate", not its default`,
		"matrix --mode simulate --shard 1/2 --resume FILE":              `it is shard "", and this is shard "1/2"`,
		"explore --resume FILE":                                         "it is a matrix",
		"check refund --resume FILE":                                    "it is a matrix",
		"matrix --mode simulate --resume WHOLE":                         "holds a whole run",
		"matrix --mode simulate --resume nowhere.json":                  "nowhere.json: no such file",
		"matrix --mode simulate --shard 0/2":                            `"0/2" is no shard`,
		"matrix --mode simulate --shard 3/2":                            `"3/2" is no shard`,
		"matrix --mode simulate --shard two":                            `"two" is no shard`,
		"matrix --mode simulate --shard 1/20000":                        "at most 10000",
		"explore --shard 1/2 --resume nowhere.json --strategy restart":  "nowhere.json: no such file",
		"check refund --mode simulate --shard 2/2 --resume nowhere.txt": "nowhere.txt: no such file",
	} {
		line = strings.NewReplacer("FILE", file, "OTHER", other, "WHOLE", whole, "SEARCHED", searched).Replace(line)
		r := runs(t, strings.Fields(line)...)
		if wrong := oneLine(r.Err, says); r.Code != 2 || wrong != "" || r.Out != "" {
			t.Errorf("%s: exit code %d, %s%s", line, r.Code, wrong, r.Out)
		}
	}
}
