package main_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/paytwice/paytwice/"

// graph holds the imports of each package, by its folder below the module's root. Packages of this module
// are named by their folders, others by their import paths.
type graph map[string]map[string]bool

func (g graph) add(from, to string) {
	if g[from] == nil {
		g[from] = map[string]bool{}
	}
	g[from][to] = true
}

// TestArrows keeps the way in which the parts depend on each other. It parses every file itself, whatever
// its build tags: a test that asks the go command is cached, and passes on a tree that is broken.
func TestArrows(t *testing.T) {
	g, own, err := readGraph("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, arrow := range brokenArrows(g, own) {
		t.Error(arrow)
	}
	// A reader that saw nothing would find nothing wrong.
	for from, to := range map[string]string{"scenarios": "explorer", "explorer": "faults", "explorer/check": "explorer/history",
		"resolver/services": "faults/provider", "resolver/strategy": "resolver", "resolver/checkpoint": "modernc.org/sqlite", "cmd/paytwice": "scenarios"} {
		if !g[from][to] {
			t.Errorf("%s does not import %s any more: is everything read?", from, to)
		}
	}
}

// readGraph returns the imports of all files but tests, and the folders that hold a package of the module.
func readGraph(root string) (graph, map[string]bool, error) {
	g, own := graph{}, map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(root, name, d.Name())
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		from := filepath.ToSlash(folder)
		own[from] = true
		for _, spec := range file.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			g.add(from, strings.TrimPrefix(to, module))
		}
		return nil
	})
	return g, own, err
}

// enter skips what is not of this module.
func enter(root, name, base string) error {
	if name == root {
		return nil
	}
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		return fs.SkipDir // a module of its own
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// part is the first folder of a package.
func part(pkg string) string {
	first, _, _ := strings.Cut(pkg, "/")
	return first
}

// brokenArrows returns every import that points the wrong way, sorted.
func brokenArrows(g graph, own map[string]bool) []string {
	var out []string
	for from, imports := range g {
		for to := range imports {
			if why := wrong(from, to, own[to]); why != "" {
				out = append(out, fmt.Sprintf("%s imports %s: %s", from, to, why))
			}
		}
		if p := part(from); (p == "explorer" || p == "faults") && !strings.Contains(path.Base(from), "sqlite") {
			if way := wayTo(g, from, isSQLite, map[string]bool{}); way != nil {
				out = append(out, fmt.Sprintf("%s reaches SQLite through %s", from, strings.Join(way, ", ")))
			}
		}
	}
	slices.Sort(out)
	return out
}

// wrong says what is wrong with one import, and nothing if it is right.
func wrong(from, to string, own bool) string {
	standard := !own && !strings.Contains(part(to), ".")
	switch {
	case from == "faults" && !standard:
		return "faults itself imports the standard library only"
	case !own:
		return ""
	case part(to) == "cmd" && part(from) != "cmd":
		return "nothing but cmd imports cmd"
	case from == "resolver" || from == "explorer/history":
		return "it imports nothing of ours"
	case (from == "explorer/check" || from == "explorer/story" || from == "explorer/parts") && to != "explorer/history":
		return "it imports explorer/history only"
	case from == "explorer/page" && to != "explorer/history" && to != "explorer/story":
		return "the page shows documents: it imports explorer/history and explorer/story only"
	case part(from) == "resolver" && part(to) == "faults" && (from != "resolver/services" || to != "faults/provider"):
		return "of resolver only services imports faults, and only faults/provider"
	case part(from) == "resolver" && part(to) != "resolver" && part(to) != "faults":
		return "resolver is the system under test: it knows nothing of what tests it"
	case part(from) == "faults" && part(to) != "faults":
		return "faults imports nothing else of ours"
	case part(from) == "explorer" && part(to) != "explorer" && part(to) != "faults":
		return "explorer knows neither scenarios nor resolver"
	case part(from) == "reports" && (part(to) == "scenarios" || part(to) == "resolver" || to == "explorer"):
		return "reports read histories"
	}
	return ""
}

func isSQLite(pkg string) bool {
	return pkg == "modernc.org/sqlite" || strings.HasPrefix(pkg, "modernc.org/sqlite/") || strings.Contains(pkg, "go-sqlite3")
}

// wayTo returns the packages on the way from one to a forbidden one, nil if there is none.
func wayTo(g graph, from string, forbidden func(string) bool, seen map[string]bool) []string {
	seen[from] = true
	for to := range g[from] {
		if forbidden(to) {
			return []string{to}
		}
		if !seen[to] {
			if way := wayTo(g, to, forbidden, seen); way != nil {
				return append([]string{to}, way...)
			}
		}
	}
	return nil
}

// Each arrow that must not be is seen, and each that may be is let through.
func TestArrows_Seen(t *testing.T) {
	for _, c := range []struct {
		from, to string
		wrong    bool
	}{
		{"resolver", "faults", true},
		{"resolver", "resolver/strategy", true},
		{"resolver", "encoding/json", false},
		{"resolver/agent", "faults", true},
		{"resolver/agent", "faults/provider", true},
		{"resolver/services", "faults", true},
		{"resolver/services", "faults/provider", false},
		{"resolver/services", "modernc.org/sqlite", false},
		{"resolver/checkpoint", "explorer/history", true},
		{"resolver/checkpoint", "scenarios", true},
		{"faults", "golang.org/x/sys/unix", true},
		{"faults", "faults/provider", true},
		{"faults", "github.com/google/go-cmp/cmp", true},
		{"faults", "os/signal", false},
		{"faults/blackbox", "golang.org/x/sys/unix", false},
		{"faults/provider", "explorer", true},
		{"faults/httpfault", "faults", false},
		{"faults/sqlfault", "modernc.org/sqlite", true},
		{"faults/sqliteenv", "modernc.org/sqlite", false},
		{"explorer/history", "explorer/check", true},
		{"explorer/history", "faults", true},
		{"explorer/check", "faults", true},
		{"explorer/check", "explorer/history", false},
		{"explorer/story", "explorer/check", true},
		{"explorer/story", "explorer/history", false},
		{"explorer/page", "explorer", true},
		{"explorer/page", "reports", true},
		{"explorer/page", "explorer/story", false},
		{"explorer/parts", "explorer", true},
		{"explorer/parts", "explorer/history", false},
		{"explorer/baseline", "faults", false},
		{"explorer", "scenarios", true},
		{"explorer", "resolver", true},
		{"explorer/child", "resolver/strategy", true},
		{"explorer", "modernc.org/sqlite", true},
		{"explorer", "faults", false},
		{"scenarios", "explorer", false},
		{"scenarios", "resolver/services", false},
		{"scenarios", "cmd/paytwice", true},
		{"reports", "scenarios", true},
		{"reports", "explorer", true},
		{"reports", "explorer/history", false},
		{"reports", "explorer/story", false},
		{"cmd/paytwice", "cmd/internal/cli", false},
		{"cmd/paytwice", "scenarios", false},
	} {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			g := graph{}
			g.add(c.from, c.to)
			own := map[string]bool{c.from: true}
			for _, p := range []string{"resolver", "faults", "explorer", "scenarios", "reports", "cmd"} {
				if part(c.to) == p {
					own[c.to] = true
				}
			}
			if got := brokenArrows(g, own); (len(got) > 0) != c.wrong {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("SQLite behind another package", func(t *testing.T) {
		g := graph{}
		g.add("explorer", "example.com/store")
		g.add("example.com/store", "modernc.org/sqlite")
		if diff := cmp.Diff([]string{"explorer reaches SQLite through example.com/store, modernc.org/sqlite"}, brokenArrows(g, map[string]bool{})); diff != "" {
			t.Error(diff)
		}
	})
}
