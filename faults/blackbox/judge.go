package blackbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// problem is a broken invariant of an end, whatever way led there.
type problem struct{ invariant, detail string }

// ending is what is known of an end: a folder and a ledger after the last life.
type ending struct {
	problems []problem
	// effects counts those on record: the file's lines, or else the ledger's.
	effects map[string]int
}

// judge compares ends with the undisturbed run's and runs the check command.
type judge struct {
	b       *bench
	file    map[string]int // effects of the undisturbed run
	ledger  map[string]int
	mu      sync.Mutex
	checked map[string]checkResult
}

type checkResult struct {
	problems []problem
	err      error
}

func newJudge(b *bench) *judge { return &judge{b: b, checked: map[string]checkResult{}} }

// expect takes the undisturbed run's end as what every end must be, and returns what is wrong with it
// already. Errors: ErrAcked, ErrCheck.
func (j *judge) expect(ctx context.Context, root string, end folder, service Service, acked []string) (ending, error) {
	j.file, j.ledger = linesOf(j.effectsFile(end)), counted(service.Ledger())
	for _, counts := range []map[string]int{j.file, j.ledger} {
		for line := range counts {
			counts[line] = 1
		}
	}
	e, err := j.end(ctx, root, end, service, acked)
	if err != nil {
		return e, err
	}
	if slices.ContainsFunc(end, func(e entry) bool { return e.kind == entryLink && e.path == filepath.Clean(j.b.cfg.ExactlyOnce) }) {
		return e, fmt.Errorf("%w: the file of effects, %s, is a symbolic link: name the file that it leads to", ErrConfig, j.b.cfg.ExactlyOnce)
	}
	if j.b.cfg.ExactlyOnce != "" && len(j.file) == 0 {
		return e, fmt.Errorf("%w: the undisturbed run leaves no line in %s%s", ErrConfig, j.b.cfg.ExactlyOnce, j.whatIsThere(end))
	}
	if j.b.cfg.Provider != nil && !service.Changed() {
		return e, fmt.Errorf("%w: the undisturbed run makes no change at the provider; does the program use %s, and ask for what the provider knows?",
			ErrConfig, strings.Join(namesOf(service.Env()), ", "))
	}
	if j.b.cfg.Acked != nil && len(acked) == 0 {
		return e, fmt.Errorf("%w: no line that the undisturbed run writes to standard output matches %q", ErrConfig, j.b.cfg.Acked)
	}
	for _, a := range acked {
		if j.looksUp() && e.effects[a] == 0 {
			return e, fmt.Errorf("%w: %q, found by %q, is no whole line of %s; the first group of the expression says what part of a line is compared",
				ErrAcked, a, j.b.cfg.Acked, j.onRecordIn())
		}
	}
	return e, nil
}

// whatIsThere names some of the files at an end that were not in the template, for whoever named none of them.
func (j *judge) whatIsThere(end folder) string {
	const most = 5
	var names []string
	for _, e := range end {
		if _, before := j.b.template.file(e.path); e.kind == entryFile && !before && len(names) < most {
			names = append(names, e.path)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it makes " + strings.Join(names, ", ")
}

// namesOf returns the names of an environment's variables.
func namesOf(env []string) []string {
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		out = append(out, name)
	}
	return out
}

// onRecordIn says where acknowledged effects are looked up.
func (j *judge) onRecordIn() string {
	if j.b.cfg.ExactlyOnce != "" {
		return j.b.cfg.ExactlyOnce
	}
	return ledgerName
}

// effects are those on record at an end, by where they stand.
type effects map[string]map[string]int

const ledgerName = "the provider's ledger"

func (j *judge) onRecord(end folder, service Service) effects {
	out := effects{}
	if j.b.cfg.ExactlyOnce != "" {
		out[j.b.cfg.ExactlyOnce] = linesOf(j.effectsFile(end))
	}
	if j.b.cfg.Provider != nil {
		out[ledgerName] = counted(service.Ledger())
	}
	return out
}

// compare returns an UnstableEffectError for the first difference to another undisturbed run.
func (e effects) compare(other effects) error {
	for _, where := range slices.Sorted(maps.Keys(e)) {
		all := maps.Clone(e[where])
		maps.Copy(all, other[where])
		for _, line := range slices.Sorted(maps.Keys(all)) {
			if a, b := e[where][line], other[where][line]; a != b {
				return &UnstableEffectError{line, where, a, b}
			}
		}
	}
	return nil
}

// looksUp reports whether acknowledged effects can be looked up without the check command.
func (j *judge) looksUp() bool { return j.b.cfg.ExactlyOnce != "" || j.b.cfg.Provider != nil }

func (j *judge) effectsFile(end folder) []byte {
	if j.b.cfg.ExactlyOnce == "" {
		return nil
	}
	data, _ := end.file(filepath.Clean(j.b.cfg.ExactlyOnce))
	return data
}

// end judges an end.
func (j *judge) end(ctx context.Context, root string, end folder, service Service, acked []string) (ending, error) {
	var e ending
	file, ledger := linesOf(j.effectsFile(end)), counted(service.Ledger())
	e.effects = file
	if j.b.cfg.ExactlyOnce == "" {
		e.effects = ledger
	}
	if j.b.cfg.ExactlyOnce != "" {
		e.problems = append(e.problems, differences(j.file, file, j.b.cfg.ExactlyOnce)...)
	}
	if j.b.cfg.Provider != nil {
		e.problems = append(e.problems, differences(j.ledger, ledger, ledgerName)...)
	}
	if len(j.b.cfg.Check) > 0 {
		found, err := j.check(ctx, root, end, service, acked)
		if err != nil {
			return e, err
		}
		e.problems = append(e.problems, found...)
	}
	return e, nil
}

// differences compares the effects on record with those wanted, each exactly once.
func differences(want, got map[string]int, where string) []problem {
	var out []problem
	for _, line := range slices.Sorted(maps.Keys(want)) {
		switch n := got[line]; {
		case n == 0:
			out = append(out, problem{LostWrite, fmt.Sprintf("%q is missing in %s", line, where)})
		case n > 1:
			out = append(out, problem{DoubleWrite, fmt.Sprintf("%q stands %d times in %s", line, n, where)})
		}
	}
	for _, line := range slices.Sorted(maps.Keys(got)) {
		if want[line] == 0 {
			out = append(out, problem{StateMismatch, fmt.Sprintf("unknown line %q in %s", line, where)})
		}
	}
	return out
}

func linesOf(data []byte) map[string]int {
	out := map[string]int{}
	for line := range bytes.Lines(data) {
		if text := strings.TrimSuffix(string(line), "\n"); text != "" {
			out[text]++
		}
	}
	return out
}

func counted(lines []string) map[string]int {
	out := map[string]int{}
	for _, l := range lines {
		out[l]++
	}
	return out
}

// check runs the check command in a folder, once per different end.
func (j *judge) check(ctx context.Context, root string, end folder, service Service, acked []string) ([]problem, error) {
	_, key := service.Snapshot()
	acked = distinct(acked)
	id := fmt.Sprint(end.digest("", nil), key, ackedSum(acked))
	j.mu.Lock()
	r, ok := j.checked[id]
	j.mu.Unlock()
	if !ok {
		r.problems, r.err = j.runCheck(ctx, root, service, acked)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		j.mu.Lock()
		j.checked[id] = r
		j.mu.Unlock()
	}
	return r.problems, r.err
}

func (j *judge) runCheck(ctx context.Context, root string, service Service, acked []string) ([]problem, error) {
	list := filepath.Join(filepath.Dir(root), "acked")
	text := ""
	for _, a := range acked {
		text += a + "\n"
	}
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		return nil, err
	}
	spec := j.b.lifeSpec(root, j.b.cfg.Check, service)
	spec.env = append(spec.env, "PAYTWICE_ACKED="+list)
	spec.acks = nil
	res, err := runLife(ctx, spec)
	command := commandText(j.b.cfg.Check)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", ErrCheck, command, err)
	case res.cause == causeTimeout:
		return nil, fmt.Errorf("%w: %s %s", ErrCheck, command, timeoutText(spec.timeout))
	case res.exit == 0:
		return nil, nil
	case res.exit != 1:
		return nil, fmt.Errorf("%w: %s %s%s", ErrCheck, command, res.status, lastLines(res.stderr))
	}
	name := StateMismatch
	said := Output{Head: []byte(res.stdout.String() + res.stderr.String())}
	if words := strings.Fields(said.String()); len(words) > 0 && slices.Contains(invariants, strings.TrimSuffix(words[0], ":")) {
		name = strings.TrimSuffix(words[0], ":")
	}
	quote := lastLines(said)
	if quote == "" {
		quote = " and said nothing"
	}
	return []problem{{name, fmt.Sprintf("the check %s ended with status 1%s", command, quote)}}, nil
}

// commandText names a command for a message: of a shell's, only what the shell is told.
func commandText(args []string) string {
	if len(args) == 3 && args[1] == "-c" {
		args = args[2:]
	}
	const longest = 120
	text := strings.Join(strings.Fields(strings.Join(args, " ")), " ")
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// distinct returns the different texts, sorted.
func distinct(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

func ackedSum(acked []string) digest {
	return sha256.Sum256([]byte(strings.Join(distinct(acked), "\n")))
}
