package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// noted notes durably that a record has been made.
func noted() error {
	return errors.Join(os.WriteFile("noted", []byte("record\n"), 0o644), syncFile("noted"), syncFile("."))
}

// syncSystem makes a record, syncs the file system of a folder, and notes the record.
func syncSystem(args []string) error {
	if err := os.WriteFile("record", []byte("record\n"), 0o644); err != nil {
		return err
	}
	dir, err := os.Open(args[0])
	if err != nil {
		return err
	}
	const syncfs = 306
	if _, _, errno := syscall.Syscall(syncfs, dir.Fd(), 0, 0); errno != 0 {
		return errno
	}
	return errors.Join(dir.Close(), noted())
}

// dotdot goes up from where a link leads to.
func dotdot([]string) error {
	_ = os.Mkdir("..", 0o755) // is there, and outside
	return errors.Join(os.MkdirAll("real/v1", 0o755), os.Symlink("real/v1", "current"),
		os.WriteFile("current/../next", []byte("new\n"), 0o644), os.Rename("current/../next", "current//..//./value"), os.Chmod("current/..", 0o700))
}

// twoNames renames one name of a file to the other, which does nothing.
func twoNames([]string) error {
	return errors.Join(os.WriteFile("a", []byte("text\n"), 0o644), os.Link("a", "b"), os.Rename("a", "b"), os.WriteFile("end", nil, 0o644))
}

// moveIn appends to a file outside the folder, makes that durable or not, and moves the file in.
func moveIn(args []string) error {
	flags, how := os.O_CREATE|os.O_APPEND|os.O_RDWR, args[1]
	if how == "each write" {
		flags |= os.O_SYNC
	}
	f, err := os.OpenFile(args[0], flags, 0o644)
	if err != nil {
		return err
	}
	for _, text := range []string{"n", "ew\n"} {
		if _, err := f.WriteString(text); err != nil {
			return err
		}
	}
	switch how {
	case "file":
		err = f.Sync()
	case "all":
		syscall.Sync()
	case "map":
		var m []byte
		if m, err = syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_SHARED); err == nil {
			err = msync(m)
		}
	case "part of a map":
		const page = 4096
		var m []byte
		if err = f.Truncate(2 * page); err == nil {
			if m, err = syscall.Mmap(int(f.Fd()), 0, 2*page, syscall.PROT_READ, syscall.MAP_SHARED); err == nil {
				err = msync(m[page:])
			}
		}
	}
	if err := errors.Join(err, os.Rename(args[0], "value"), syncFile(".")); err != nil {
		return err
	}
	if how == "after" {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), noted())
}

// mapPart makes a record in the third page of a file, by a write or with "store" through a map, with "grown" before the file grows, syncs some pages of the
// map, which begins at a page of the file, and notes the record.
func mapPart(args []string) error {
	const page = 4096
	f, err := os.Create("record")
	if err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(4*page), f.Sync(), syncFile(".")); err != nil {
		return err
	}
	from, pages, offset := 0, 0, 0
	if _, err := fmt.Sscan(args[1], &from, &pages, &offset); err != nil {
		return err
	}
	sharing := syscall.MAP_SHARED
	if args[0] == "private" {
		sharing = syscall.MAP_PRIVATE
	}
	m, err := syscall.Mmap(int(f.Fd()), int64(offset*page), (4-offset)*page, syscall.PROT_READ|syscall.PROT_WRITE, sharing)
	if err != nil {
		return err
	}
	if args[0] == "store" {
		copy(m, "page 0")
		copy(m[2*page:], "record")
	} else if _, err := f.WriteAt([]byte("record"), 2*page); err != nil {
		return err
	}
	if args[0] == "grown" {
		err = f.Truncate(5 * page)
	}
	if len(args) > 2 { // two lines of the process's maps
		err = errors.Join(err, syscall.Mprotect(m[page:2*page], syscall.PROT_READ))
	}
	return errors.Join(err, msync(m[from*page:(from+pages)*page]), noted())
}

func msync(m []byte) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_MSYNC, uintptr(unsafe.Pointer(&m[0])), uintptr(len(m)), syscall.MS_SYNC); errno != 0 {
		return errno
	}
	return nil
}
