//go:build linux && amd64

package blackbox

import (
	"path/filepath"
	"testing"
)

// A socket or a pipe that a crash has left is open to whom it was open to, whatever this process keeps from others.
func TestFolder_ModesOfSpecialFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), "case")
	want := folder{{path: "p", kind: entryPipe, mode: 0o666}, {path: "s", kind: entrySocket, mode: 0o777}}
	if err := want.write(root); err != nil {
		t.Fatal(err)
	}
	got, err := readFolder(root, 1, true)
	if err != nil || len(got) != len(want) || !got[0].holdsLike(&want[0]) || !got[1].holdsLike(&want[1]) {
		t.Errorf("%+v, %v", got, err)
	}
}
