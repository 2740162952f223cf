package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// aged is long before the tests run.
var aged = time.Unix(900_000_000, 0)

// durableMark gives a new file, or one that is there, a mark, makes it durable, and moves it to its name; from then on the
// mark must be there. Writes that are lost make more folders.
func durableMark(args []string) error {
	if _, err := os.Stat("marked"); err == nil {
		if err := checkMark(args[0]); err != nil {
			return err
		}
	} else if err := makeMarked(args[0]); err != nil {
		return err
	}
	for _, name := range []string{"s1", "s2"} {
		if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func makeMarked(kind string) error {
	const next = "next"
	f, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("text\n"); err != nil {
		return err
	}
	switch kind {
	case "mode":
		err = f.Chmod(0o755)
	case "attribute":
		err = syscall.Setxattr(next, "user.mark", []byte("yes"), 0)
	case "time":
		err = os.Chtimes(next, aged, aged)
	}
	return errors.Join(err, f.Sync(), f.Close(), os.Rename(next, "marked"), syncFile("."))
}

func checkMark(kind string) error {
	info, err := os.Stat("marked")
	if err != nil {
		return err
	}
	ok := true
	switch kind {
	case "mode":
		ok = info.Mode() == 0o755
	case "attribute":
		_, err := syscall.Getxattr("marked", "user.mark", nil)
		ok = err == nil
	case "time":
		ok = info.ModTime().Equal(aged)
	}
	if !ok {
		return fmt.Errorf("the %s of the file is lost: %v %v", kind, info.Mode(), info.ModTime())
	}
	return nil
}

// untouched fails if a file that it never changes is not as old as it was.
func untouched([]string) error {
	info, err := os.Stat("old")
	if err == nil && !info.ModTime().Equal(aged) {
		err = fmt.Errorf("the file is of %v", info.ModTime())
	}
	return errors.Join(err, os.WriteFile("s1", []byte("x"), 0o644), os.WriteFile("s2", []byte("y"), 0o644))
}

// reopen cuts a file by a path that leads to an open one, writes what counts, and makes that durable.
func reopen(args []string) error {
	f, err := os.OpenFile("next", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("rubbish that is cut\n"); err != nil {
		return err
	}
	path := fmt.Sprintf("%s/%d", args[0], f.Fd())
	if len(args) > 1 {
		if err := os.Truncate(path, 2); err != nil {
			return err
		}
		return errors.Join(f.Sync(), os.Rename("next", "value"), syncFile("."), os.WriteFile("end", nil, 0o644))
	}
	again, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	if _, err := again.WriteString("new\n"); err != nil {
		return err
	}
	return errors.Join(again.Sync(), syncFile("."), os.Rename("next", "value"), syncFile("."), os.WriteFile("end", nil, 0o644))
}

// closed keeps a lock that nobody may read, and a folder that nobody may enter, while it makes its effect in a file that
// it may only write.
func closed([]string) error {
	if _, err := os.Stat("effects"); err == nil {
		return nil
	}
	for _, name := range []string{"lock", "next", "shut"} {
		_ = os.Chmod(name, 0o700) // from a life before
	}
	if err := errors.Join(os.RemoveAll("lock"), os.RemoveAll("next"), os.RemoveAll("shut")); err != nil {
		return err
	}
	lock, err := os.OpenFile("lock", os.O_CREATE|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(lock.Close(), os.Mkdir("shut", 0o700), os.WriteFile("shut/in", []byte("x"), 0o600), os.Chmod("shut", 0)); err != nil {
		return err
	}
	f, err := os.OpenFile("next", os.O_CREATE|os.O_WRONLY, 0o200)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("effect-0\n"); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Chmod(0o600), f.Close(), os.Rename("next", "effects"), syncFile("."))
}

// rooted makes its folder its root, and goes on by absolute paths.
func rooted([]string) error {
	if err := errors.Join(syscall.Chroot("."), os.Chdir("/")); err != nil {
		return err
	}
	return errors.Join(os.WriteFile("/effects", []byte("effect-0\n"), 0o644), os.Rename("/effects", "/moved"), os.Chmod("/moved", 0o600))
}

// deep makes folders in each other until no path from outside reaches them.
func deep([]string) error {
	name := strings.Repeat("d", 200)
	for range 25 {
		if err := errors.Join(os.Mkdir(name, 0o755), os.Chdir(name)); err != nil {
			return err
		}
	}
	return nil
}
