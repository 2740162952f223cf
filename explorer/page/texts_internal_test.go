package page

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/explorer/check"
)

// Every text is there in both languages, with the same places to fill.
func TestTexts_BothLanguages(t *testing.T) {
	places := regexp.MustCompile(`%[sd]|\{\d\}`)
	for key, text := range texts {
		if text.EN == "" || text.FR == "" {
			t.Errorf("%s is missing in one language", key)
		}
		if en, fr := strings.Join(places.FindAllString(text.EN, -1), ""), strings.Join(places.FindAllString(text.FR, -1), ""); en != fr {
			t.Errorf("%s has the places %s in English, %s in French", key, en, fr)
		}
	}
}

// Every invariant that a report may name is explained.
func TestTexts_Invariants(t *testing.T) {
	for _, name := range check.Names() {
		if _, ok := texts["invariant."+name]; !ok {
			t.Errorf("nothing says what %s means", name)
		}
	}
}

// French quotation marks and colons keep to their words.
func TestTexts_FrenchQuotes(t *testing.T) {
	for key, text := range texts {
		for _, loose := range []string{"« ", " »", " :"} {
			if strings.Contains(text.FR, loose) {
				t.Errorf("%s: a line may end within %q: %s", key, loose, text.FR)
			}
		}
	}
}

// Every text that the page asks for is there, and every one that is there is asked for.
func TestTexts_Used(t *testing.T) {
	used := map[string]bool{}
	note := func(source, pattern string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(source, -1) {
			used[m[1]] = true
		}
	}
	note(markup, `data-t="([^"]+)"`)
	note(markup, `\{\{t "([^"]+)"\}\}`)
	note(script, `\bt\("([a-z._-]+)"[,)]`)
	note(script, `\blist\([^)]*, "([a-z.]+)"\)`)
	for key := range used {
		if _, ok := texts[key]; !ok {
			t.Errorf("no text %s", key)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "texts.go" || strings.HasSuffix(name, "_test.go") {
			continue
		}
		note(string(source), `"([a-z._-]+)"`)
	}
	families := regexp.MustCompile(`^(mark|kind|part|point|stop|resume|how|lane|runs|verdict|invariant|meaning)\.`)
	for key := range texts {
		if !used[key] && !families.MatchString(key) {
			t.Errorf("nobody uses %s", key)
		}
	}
}

// What the script draws without the data's telling it to is text, never markup, and nothing is fetched.
func TestScript_NeverMarkup(t *testing.T) {
	for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "import(", ".src", "style="} {
		if strings.Contains(script, word) {
			t.Errorf("the script uses %s", word)
		}
	}
	for _, word := range []string{"@import", "url(", "expression("} {
		if strings.Contains(style, word) {
			t.Errorf("the style uses %s", word)
		}
	}
}
