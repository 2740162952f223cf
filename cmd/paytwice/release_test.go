package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// releaseSchema compiles the schema that GoReleaser prints of its configuration.
func releaseSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "goreleaser.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRelease_Valid holds the release recipe against GoReleaser's own schema, and sees that schema refuse.
func TestRelease_Valid(t *testing.T) {
	data, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schema := releaseSchema(t)
	valid := func(text string) error {
		var recipe any
		if err := yaml.Unmarshal([]byte(text), &recipe); err != nil {
			return err
		}
		return schema.Validate(recipe)
	}
	if err := valid(string(data)); err != nil {
		t.Error(err)
	}
	for old, changed := range map[string]string{
		"targets: &targets":     "tragets: &targets",
		"    ids:":              "    builds_of:",
		"algorithm: sha256":     "algorithm: [sha256]",
		"wrap_in_directory: t":  "wrap_in_dir: t",
		"project_name: paytwi":  "projectname: paytwi",
		"mtime: \"{{ .Commit":   "time: \"{{ .Commit",
		"checksum:\n":           "checksums:\n",
		"format_overrides:\n":   "format_override:\n",
		"mod_timestamp: &times": "mod_time: &times",
	} {
		if text := strings.Replace(string(data), old, changed, 1); text == string(data) || valid(text) == nil {
			t.Errorf("%q passes for %q", changed, old)
		}
	}
}

// recipe is what the tests read of the release recipe.
type recipe struct {
	Builds []struct {
		Main, Binary        string
		Env, Flags, Targets []string
	}
	Archives []struct{ Files []yaml.Node }
}

func readRecipe(t *testing.T) recipe {
	t.Helper()
	data, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var r recipe
	if err := yaml.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRelease_Targets: what is released is what the gate builds, without cgo and without this machine's paths.
func TestRelease_Targets(t *testing.T) {
	gate, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	builds := readRecipe(t).Builds
	if len(builds) != 2 {
		t.Fatalf("%d builds, want paytwice and resolver", len(builds))
	}
	for _, b := range builds {
		if !slices.Contains(b.Env, "CGO_ENABLED=0") || !slices.Contains(b.Flags, "-trimpath") {
			t.Errorf("%s: %v %v", b.Binary, b.Env, b.Flags)
		}
		if _, err := os.Stat(filepath.Join("../..", b.Main, "main.go")); err != nil {
			t.Error(err)
		}
		systems := map[string]bool{}
		for _, target := range b.Targets {
			system, arch, _ := strings.Cut(target, "_")
			systems[system] = true
			if target := system + "/" + arch; target != "linux/amd64" && !strings.Contains(string(gate), " "+target) {
				t.Errorf("the gate does not build %s", target)
			}
		}
		for _, system := range []string{"linux", "darwin", "windows"} {
			if !systems[system] {
				t.Errorf("%s is not released for %s", b.Binary, system)
			}
		}
	}
}

// TestRelease_Files: what the archives are to have beside the programs is there, or is made.
func TestRelease_Files(t *testing.T) {
	forTheGate(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	extras := filepath.Join(t.TempDir(), "extras")
	made := exec.Command("bash", ".ci/extras", extras)
	made.Dir = root
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var names []string
	for _, f := range readRecipe(t).Archives[0].Files {
		name := f.Value
		if f.Kind == yaml.MappingNode {
			var one struct{ Src string }
			if err := f.Decode(&one); err != nil {
				t.Fatal(err)
			}
			name = one.Src
		}
		names = append(names, name)
		path := filepath.Join(root, name)
		if rest, ok := strings.CutPrefix(name, "extras/"); ok {
			path = filepath.Join(extras, rest)
		}
		if found, err := filepath.Glob(path); err != nil || len(found) == 0 {
			t.Errorf("%s: there is none (%v)", name, err)
		}
	}
	if !slices.Contains(names, "LICENSE") || !slices.Contains(names, "extras/man/*") || !slices.Contains(names, "extras/completions/*") {
		t.Errorf("an archive has %v", names)
	}
}
