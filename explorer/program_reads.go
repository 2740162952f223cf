package explorer

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
)

// The go command keeps the result of a test that passed until something changes that the test has read. It
// knows what the parent read, and nothing of a child. So each child logs what it reads, as the parent does for
// the go command, and the parent looks at the same once more.

// logsReads reports whether the go command wants to know what this process reads.
func logsReads() bool {
	f := flag.Lookup("test.testlogfile")
	return f != nil && f.Value.String() != ""
}

// endOfReads is a name that no buffer holds: asking for it writes out everything before it.
var endOfReads = strings.Repeat("=", 64<<10)

// flushReads writes out what this child has read. A child ends without the testing package's help, which
// would do it otherwise.
func flushReads() {
	if logsReads() {
		os.Getenv(endOfReads)
	}
}

// readsOf names the log of the life in a folder, and returns the argument that makes a child write it.
func readsOf(dir string, process int) (name string, args []string) {
	name = fmt.Sprintf("%s.reads-%d", dir, process)
	if logsReads() {
		args = []string{"-test.testlogfile=" + name}
	}
	return name, args
}

// reads are what the children of one call of Test have read: operations with absolute names.
type reads struct {
	mu   sync.Mutex
	seen map[string]bool
}

// take takes over what a child has read. One that was killed had its log in memory; whatever it read, the
// undisturbed life from the same state has read, too.
func (r *reads) take(name string, lived child.Lived) error {
	if !logsReads() {
		return nil
	}
	defer os.Remove(name)
	data, _ := os.ReadFile(name)
	log, _, whole := strings.Cut(string(data), "getenv "+endOfReads)
	if lived.Ended == history.Done && !whole {
		return errors.New("what the program read is not in the test log of its process, so the go command can't tell when to run this test again: use -count=1")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := startFolder
	for line := range strings.Lines(log) {
		op, name, found := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !found {
			continue
		}
		if op != "getenv" && !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		if op == "chdir" {
			dir = name
		}
		r.seen[op+" "+name] = true
	}
	return nil
}

// again does in this process what the children did, in an order that is always the same: the go command finds
// an earlier result by the whole log.
func (r *reads) again() {
	for _, line := range slices.Sorted(maps.Keys(r.seen)) {
		op, name, _ := strings.Cut(line, " ")
		if op == "getenv" {
			os.Getenv(name)
			continue
		}
		info, err := os.Stat(name)
		if op != "open" || err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			continue // opening a pipe would wait for its other end
		}
		if f, err := os.Open(name); err == nil {
			_ = f.Close()
		}
	}
}
