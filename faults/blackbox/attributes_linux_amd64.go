package blackbox

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// longestAttribute is the kernel's bound of a value.
const longestAttribute = 65536

// readAttributes returns the attributes that users may set on a file or folder, in the order of names; none
// where the file system has no such thing.
func readAttributes(path string) ([]attribute, error) {
	size, err := unix.Llistxattr(path, nil)
	if size == 0 || errors.Is(err, unix.ENOTSUP) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("attributes of %s: %w", path, err)
	}
	names := make([]byte, size)
	if size, err = unix.Llistxattr(path, names); err != nil {
		return nil, fmt.Errorf("attributes of %s: %w", path, err)
	}
	var out []attribute
	for name := range strings.SplitSeq(string(names[:size]), "\x00") {
		if !strings.HasPrefix(name, "user.") {
			continue
		}
		value := make([]byte, longestAttribute)
		n, err := unix.Lgetxattr(path, name, value)
		if err != nil {
			return nil, fmt.Errorf("attribute %s of %s: %w", name, path, err)
		}
		out = append(out, attribute{name, string(value[:n])})
	}
	slices.SortFunc(out, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// writeAttributes sets attributes. A work folder that can't hold any (memory before Linux 6.6) goes without:
// there no program could set one either.
func writeAttributes(path string, list []attribute) error {
	for _, a := range list {
		if err := unix.Lsetxattr(path, a.name, []byte(a.value), 0); err != nil && !errors.Is(err, unix.ENOTSUP) {
			return fmt.Errorf("attribute %s of %s: %w", a.name, path, err)
		}
	}
	return nil
}

// severalNames returns which file this is, and whether it has more than one name.
func severalNames(info fs.FileInfo) (inode, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}, false
	}
	return inode{st.Dev, st.Ino}, st.Nlink > 1
}
