package child

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// CopyFolder copies one folder over another, empty one: its files, folders and symbolic links with their modes
// and, but for links, the times of their last change; named pipes, and what a dead process leaves of a socket.
// A hard link becomes a file of its own.
//
// Errors: a device, which can't be carried from one life of a program to the next; those of the system.
func CopyFolder(to, from string) error {
	var folders []func() error
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		at := filepath.Join(to, name)
		if !info.IsDir() {
			return copyEntry(at, path, info)
		}
		// Once it is filled: a mode may forbid that, and filling it changes its time.
		folders = append(folders, func() error { return finish(at, info) })
		if name == "." {
			return nil
		}
		return os.Mkdir(at, 0o700)
	})
	for _, f := range slices.Backward(folders) {
		if err == nil {
			err = f()
		}
	}
	return err
}

func copyEntry(to, from string, info fs.FileInfo) error {
	switch info.Mode().Type() {
	case 0:
		if err := copyFile(to, from); err != nil {
			return err
		}
	case fs.ModeSymlink:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case fs.ModeNamedPipe, fs.ModeSocket:
		if err := makeSpecial(to, info); err != nil {
			return fmt.Errorf("%s is a pipe or a socket, and it can't be made again for the next life: %w; keep it in another folder", from, err)
		}
	default:
		return fmt.Errorf("%s is a device: no life of the program can leave it to the next; keep it in another folder", from)
	}
	return finish(to, info)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closed := out.Close(); err == nil {
		err = closed
	}
	return err
}

// finish gives a copy the mode and the time of what it was copied from.
func finish(at string, info fs.FileInfo) error {
	if err := os.Chmod(at, info.Mode()); err != nil {
		return err
	}
	return os.Chtimes(at, time.Time{}, info.ModTime())
}
