package batch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/scenarios/batch"
)

// The same batch in other languages: run to its end, and started again in the folder that a kill between
// the third charge and its finish leaves.
func TestPrograms(t *testing.T) {
	fresh := map[string]string{}
	cut := map[string]string{"progress.json": `{"finished": ["C1", "C2"], "begun": "C3"}`, "charges.log": "C1\nC2\nC3\n"}
	torn := map[string]string{"progress.json": `{"finished": ["C1", "C2"], "begun": "C3"}`, "charges.log": "C1\nC2\nC"}
	five := batch.Orders()
	cases := []struct {
		program string
		state   string
		files   map[string]string
		charges []string
	}{
		{"careless", "fresh", fresh, five},
		{"careless", "cut off", cut, []string{"C1", "C2", "C3", "C3", "C4", "C5"}},
		{"careful", "fresh", fresh, five},
		{"careful", "cut off", cut, five},
		{"careful", "half a line", torn, five},
	}
	for language, command := range map[string]string{".mjs": "node", ".py": "python3"} {
		for _, c := range cases {
			t.Run(c.program+language+"/"+c.state, func(t *testing.T) {
				t.Parallel()
				path, err := exec.LookPath(command)
				if err != nil {
					t.Skipf("needs %s: %v", command, err)
				}
				source, err := filepath.Abs(c.program + language)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				for name, text := range c.files {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				cmd := exec.Command(path, source)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				log, err := os.ReadFile(filepath.Join(dir, "charges.log"))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.charges, strings.Fields(string(log))); diff != "" {
					t.Errorf("charges (-want +got)\n%s", diff)
				}
			})
		}
	}
}
