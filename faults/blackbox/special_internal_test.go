//go:build linux && amd64

package blackbox

import (
	"path/filepath"
	"slices"
	"testing"
)

// A socket or a pipe that a crash has left is open to whom it was open to, whatever this process keeps from others.
func TestFolder_ModesOfSpecialFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), "case")
	want := append(emptyFolder(), entry{path: "p", kind: entryPipe, mode: 0o666}, entry{path: "s", kind: entrySocket, mode: 0o777})
	if err := want.write(root); err != nil {
		t.Fatal(err)
	}
	got, err := readFolder(root, 1, true)
	if err != nil || !slices.EqualFunc(got, want, func(a, b entry) bool { return a.path == b.path && a.kind == b.kind && a.holdsLike(&b) }) {
		t.Errorf("%+v, %v", got, err)
	}
}
