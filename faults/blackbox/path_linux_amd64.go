package blackbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
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

// readPath returns the absolute path of an argument with the links in its folder resolved, or nothing.
func (l *life) readPath(t *task, p place, args [6]uint64) string {
	text, ok := readString(t.tid, args[p.path])
	if !ok {
		return ""
	}
	dir := -1
	if p.dir >= 0 {
		if fd := int(int32(args[p.dir])); fd != unix.AT_FDCWD {
			dir = fd
		}
	}
	return l.resolve(t, dir, text)
}

// resolve returns the absolute path of what a task calls by a text, from a folder's descriptor or, if that is -1,
// from its own.
func (l *life) resolve(t *task, dir int, text string) string {
	if !filepath.IsAbs(text) {
		base := "/proc/" + strconv.Itoa(t.tid) + "/cwd"
		if dir >= 0 {
			base = procFD(t.tid, dir)
		}
		link, err := os.Readlink(base)
		if err != nil {
			return ""
		}
		if text == "" {
			return link
		}
		text = tidy(link + "/" + text)
	} else {
		text = l.seenFromHere(t, tidy(text))
	}
	parent, name := filepath.Split(text)
	if name == ".." {
		parent, name = text, ""
	}
	if parent == l.spec.root+"/" {
		return text
	}
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		return filepath.Join(real, name)
	}
	return filepath.Clean(text)
}

// tidy shortens a path, but leaves each ".." where it is: that is up from where a link before it leads to.
func tidy(path string) string {
	if !strings.Contains(path, "..") {
		return filepath.Clean(path)
	}
	parts := slices.DeleteFunc(strings.Split(path, "/"), func(p string) bool { return p == "" || p == "." })
	for len(parts) > 0 && parts[0] == ".." { // there is nothing above the root
		parts = parts[1:]
	}
	return "/" + strings.Join(parts, "/")
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
