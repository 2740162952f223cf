// Package schema holds the JSON schemas (draft 2020-12) of every document that the project writes, one file a
// document. They allow fields that they don't name: a later build may write more. The tests of the writers
// allow none, so that no field goes out without a schema.
//
// Import rule: the standard library only.
package schema

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Names returns the names of all documents, sorted: "matrix", "history" and so on.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // The files are part of the binary.
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".json"))
	}
	slices.Sort(out)
	return out
}

// Of returns the schema of a document as JSON.
//
// Errors: fs.ErrNotExist for a name that is not among Names.
func Of(name string) ([]byte, error) { return fs.ReadFile(files, name+".json") }
