package blackbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// longestAttribute is the kernel's bound of a value.
const longestAttribute = 65536

// owner is the name under which an owner stands among the attributes; no real one begins so.
const owner = ":owner"

// readAttributes returns the owner of a file or folder, if that is not this process's, and the attributes that
// programs may set on it, in the order of names: none where the file system has no such thing.
func readAttributes(path string, info fs.FileInfo) ([]attribute, error) {
	var out []attribute
	if st, ok := info.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		out = append(out, attribute{owner, fmt.Sprintf("%d:%d", st.Uid, st.Gid)})
	}
	size, err := unix.Llistxattr(path, nil)
	if size == 0 || errors.Is(err, unix.ENOTSUP) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("attributes of %s: %w", path, err)
	}
	names := make([]byte, size)
	if size, err = unix.Llistxattr(path, names); err != nil {
		return nil, fmt.Errorf("attributes of %s: %w", path, err)
	}
	for name := range strings.SplitSeq(string(names[:size]), "\x00") {
		if !strings.HasPrefix(name, "user.") && !strings.HasPrefix(name, "trusted.") && !strings.HasPrefix(name, "system.posix_acl_") {
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
// there no program could set one either. An ordinary user's files stay its own.
func writeAttributes(path string, list []attribute) error {
	for _, a := range list {
		if a.name == owner {
			if err := giveTo(path, a.value); err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			continue
		}
		if err := unix.Lsetxattr(path, a.name, []byte(a.value), 0); err != nil && !errors.Is(err, unix.ENOTSUP) {
			return fmt.Errorf("attribute %s of %s: %w", a.name, path, err)
		}
	}
	return nil
}

// giveTo makes a user and a group, by their numbers, the owner of a file or folder.
func giveTo(path, who string) error {
	var user, group int
	if _, err := fmt.Sscanf(who, "%d:%d", &user, &group); err != nil {
		return fmt.Errorf("the owner of %s: %w", path, err)
	}
	return os.Lchown(path, user, group)
}

// severalNames returns which file this is, and whether it has more than one name.
func severalNames(info fs.FileInfo) (inode, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}, false
	}
	return inode{st.Dev, st.Ino}, st.Nlink > 1
}
