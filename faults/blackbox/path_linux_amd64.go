package blackbox

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ownPaths are the paths that mean another file to each process, and where they lead below the process's folder in
// /proc. Seen from here they would be this process's.
var ownPaths = []struct{ path, leads string }{
	{"/proc/self", ""},
	{"/proc/thread-self", ""},
	{"/dev/fd", "/fd"},
	{"/dev/stdin", "/fd/0"},
	{"/dev/stdout", "/fd/1"},
	{"/dev/stderr", "/fd/2"},
}

// seenFromHere returns what a task's absolute path is called in this process.
func (l *life) seenFromHere(t *task, text string) string {
	if l.rooted {
		if root, err := os.Readlink("/proc/" + strconv.Itoa(t.tid) + "/root"); err == nil && root != "/" {
			return filepath.Join(root, text)
		}
	}
	if !strings.HasPrefix(text, "/proc/") && !strings.HasPrefix(text, "/dev/") {
		return text
	}
	for _, p := range ownPaths {
		if rest, ok := strings.CutPrefix(text, p.path); ok && (rest == "" || rest[0] == '/') {
			return "/proc/" + strconv.Itoa(t.tid) + p.leads + rest
		}
	}
	return text
}

// follow takes the file that a path outside the folder leads to in the place of the path: one that is open already, or
// the end of a link.
func (l *life) follow(s *stop) {
	if _, ok := below(l.spec.root, s.path); ok {
		return
	}
	if real, err := filepath.EvalSymlinks(s.path); err == nil {
		s.path = real
	}
}
