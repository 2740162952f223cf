package blackbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// modeBits are those of a mode that a program may set.
const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// entryKind is what a name in a folder stands for.
type entryKind byte

const (
	entryFile   entryKind = 'f'
	entryFolder entryKind = 'd'
	entryLink   entryKind = 'l'
	entryPipe   entryKind = 'p'
	entrySocket entryKind = 's'
)

// entry is one name of a folder with what it holds: a file's bytes or a link's target.
type entry struct {
	path string
	kind entryKind
	mode fs.FileMode
	time time.Time
	data []byte
	file inode // that was read, if any
	// timed says that a program has set the time, which is then part of what the folder holds; others
	// only say when the case ran.
	timed      bool
	attributes []attribute
	same       string // an earlier path of the same file, if it has one
}

// attribute is an extended attribute, or the owner where that is another than this process's user and group.
type attribute struct{ name, value string }

// folder is the content of a folder in memory, each folder before what it holds, otherwise in the order
// of names: itself, as here, first. Devices are left out.
type folder []entry

// here is the path of a folder itself.
const here = "."

// emptyFolder is what a program without a template begins with. A case's folder is the harness's own: of a template
// it takes over what is in it, not what its folder is.
func emptyFolder() folder { return folder{{path: here, kind: entryFolder, mode: 0o755}} }

// digest names the content of a folder: names, kinds, bytes, modes, owners, attributes, and times that a program
// has set.
type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:8]) }

// add joins digests in a way that does not depend on the order.
func (d *digest) add(other digest) {
	carry := 0
	for i := range d {
		carry += int(d[i]) + int(other[i])
		d[i] = byte(carry)
		carry >>= 8
	}
}

// digest names one entry, given the digest of its bytes.
func (e *entry) digest(data digest) digest {
	buf := make([]byte, 0, len(e.path)+64)
	buf = binary.BigEndian.AppendUint32(append(buf, byte(e.kind)), uint32(e.mode))
	buf = append(buf, data[:]...)
	buf = append(buf, e.path...)
	if e.timed {
		buf = fmt.Appendf(buf, "\x00%d", e.time.UnixNano())
	}
	if e.same != "" {
		buf = fmt.Appendf(buf, "\x00same %s", e.same)
	}
	for _, a := range e.attributes {
		buf = fmt.Appendf(buf, "\x00%q%q", a.name, a.value)
	}
	return sha256.Sum256(buf)
}

// holdsLike reports whether two entries differ in nothing but their times.
func (e *entry) holdsLike(other *entry) bool {
	return e.mode == other.mode && bytes.Equal(e.data, other.data) && slices.Equal(e.attributes, other.attributes)
}

// keepTimes marks the entries whose times a program has set: in the life that has just ended, or before, if no
// life has changed them since. A time moves with its file, whose number is another in each life, so that a time
// that was set before is known by itself.
func (f folder) keepTimes(from folder, set map[inode]bool) {
	before := map[int64]bool{}
	for _, e := range from {
		if e.timed {
			before[e.time.UnixNano()] = true
		}
	}
	for i := range f {
		f[i].timed = set[f[i].file] || before[f[i].time.UnixNano()]
	}
}

// digest names the content of a folder, the same wherever it lies if it is told where that is.
func (f folder) digest(root string, ignore globs) digest {
	var sum digest
	for i := range f {
		if e := &f[i]; !ignore.match(e.path) {
			sum.add(e.digest(e.sum(root)))
		}
	}
	return sum
}

// file returns the bytes of a file, if there is one.
func (f folder) file(path string) ([]byte, bool) {
	for _, e := range f {
		if e.path == path && e.kind == entryFile {
			return e.data, true
		}
	}
	return nil, false
}

// bytes returns how much the files of a folder hold.
func (f folder) bytes() uint64 {
	sum := uint64(0)
	for _, e := range f {
		if e.same == "" {
			sum += uint64(len(e.data))
		}
	}
	return sum
}

// What a user must be allowed of its own to read it.
const (
	openFile   fs.FileMode = 0o400
	openFolder fs.FileMode = 0o500
)

// whileOpen reads a file that is closed to its own user by its mode.
func whileOpen(path string, mode fs.FileMode, read func() error) error {
	if err := os.Chmod(path, mode|openFile); err != nil {
		return err
	}
	return errors.Join(read(), os.Chmod(path, mode))
}

// readFolder reads a folder of at most limit bytes. In a case's own, what the program has closed to its user is opened
// while it is read.
func readFolder(root string, limit int64, own bool) (folder, error) {
	var out folder
	var shut []entry // folders that are open for now
	defer func() {
		for _, e := range shut {
			_ = os.Chmod(filepath.Join(root, e.path), e.mode)
		}
	}()
	size := int64(0)
	first := map[inode]int{} // of files with several names
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == root && !own {
			out = emptyFolder()
			return nil
		}
		rel, _ := filepath.Rel(root, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{path: rel, mode: info.Mode() & modeBits, time: info.ModTime()}
		several := false
		e.file, several = severalNames(info)
		switch info.Mode().Type() {
		case 0:
			e.kind = entryFile
			if i, ok := first[e.file]; ok && several {
				e.same, e.data = out[i].path, out[i].data
				break
			}
			first[e.file] = len(out)
			if size += info.Size(); size > limit {
				return fmt.Errorf("folder %s holds more than %d bytes: %w", root, limit, ErrTooLarge)
			}
			read := func() (err error) {
				if e.data, err = os.ReadFile(path); err == nil {
					e.attributes, err = readAttributes(path, info)
				}
				return err
			}
			if err = read(); own && errors.Is(err, fs.ErrPermission) {
				err = whileOpen(path, e.mode, read)
			}
		case fs.ModeDir:
			e.kind = entryFolder
			if own && e.mode&openFolder != openFolder && os.Chmod(path, e.mode|openFolder) == nil {
				shut = append(shut, e)
			}
		case fs.ModeSymlink:
			var to string
			to, err = os.Readlink(path)
			e.kind, e.data = entryLink, []byte(to)
		case fs.ModeNamedPipe:
			e.kind = entryPipe
		case fs.ModeSocket:
			e.kind = entrySocket
		default:
			return nil
		}
		if err == nil && (e.kind == entryFolder || e.same != "") {
			e.attributes, err = readAttributes(path, info)
		}
		out = append(out, e)
		return err
	})
	return out, err
}

// write makes a folder with this content, in the place of what is there.
func (f folder) write(root string) error {
	if err := removeAll(root); err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for _, e := range f {
		var err error
		if e.path == here {
			continue
		}
		if e.same != "" {
			err = os.Link(filepath.Join(root, e.same), filepath.Join(root, e.path))
		} else {
			err = e.write(filepath.Join(root, e.path))
		}
		if err != nil {
			return err
		}
	}
	// Folders last, and of them the outer ones: what is made in them changes their times, and they may not be writable.
	for i := len(f) - 1; i >= 0; i-- {
		if e := f[i]; e.kind == entryFolder && e.path != here {
			if err := e.settle(root); err != nil {
				return err
			}
		}
	}
	if i := slices.IndexFunc(f, func(e entry) bool { return e.path == here }); i >= 0 {
		return f[i].settle(root)
	}
	return nil
}

// settle gives a folder that has been filled what it has beside its names.
func (e entry) settle(root string) error {
	path := filepath.Join(root, e.path)
	return errors.Join(writeAttributes(path, e.attributes), os.Chmod(path, e.mode), setTime(path, e.time))
}

func (e entry) write(path string) error {
	switch e.kind {
	case entryFolder:
		return os.Mkdir(path, 0o755)
	case entryLink:
		return os.Symlink(string(e.data), path)
	case entryFile:
		if err := writeFile(path, e.data); err != nil {
			return err
		}
		if err := writeAttributes(path, e.attributes); err != nil {
			return err
		}
		if e.mode != 0o600 {
			if err := os.Chmod(path, e.mode); err != nil {
				return err
			}
		}
		return setTime(path, e.time)
	default:
		return makeSpecial(path, e.kind, uint32(e.mode.Perm()))
	}
}

// writeFile writes a file while no process is forked: a child of another worker would hold the file open for writing
// until it becomes another program, and who starts the file meanwhile is told that it is busy.
func writeFile(path string, data []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, 0o600)
}

// setTime keeps the times of the template, which some programs compare; what has none keeps its own.
func setTime(path string, t time.Time) error {
	if t.IsZero() {
		return nil
	}
	return os.Chtimes(path, t, t)
}

// removeAll removes a folder, also where a program took away the right to.
func removeAll(root string) error {
	if err := os.RemoveAll(root); err == nil {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(root)
}
