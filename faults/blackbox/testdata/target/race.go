package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

const racers = 3

// race opens one journal, which is not there yet, from several threads at the same moment, and says what each has
// made durable.
func race([]string) error {
	return together(func(line string) error { return enter("journal", line) })
}

// together runs a function in several threads that start at the same moment.
func together(f func(line string) error) error {
	var ready, wg sync.WaitGroup
	ready.Add(racers)
	failed := make([]error, racers)
	for i := range racers {
		wg.Go(func() {
			runtime.LockOSThread()
			ready.Done()
			ready.Wait()
			failed[i] = f("entry-" + strconv.Itoa(i))
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// enter adds a durable line to a file that may not be there yet.
func enter(name, line string) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if err := errors.Join(appendLine(f, line), f.Close(), syncFolder()); err != nil {
		return err
	}
	_, err = fmt.Println("done " + line)
	return err
}

func syncFolder() error {
	dir, err := os.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// children starts processes that take turns by a lock file which is not there yet; without an argument for one of them
// it is their parent.
func children(args []string) error {
	if len(args) > 0 {
		return oneChild("entry-" + args[0])
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	var all []*exec.Cmd
	for i := range racers {
		cmd := exec.Command(os.Args[0], "children", strconv.Itoa(i))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = r, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		all = append(all, cmd)
	}
	failed := errors.Join(r.Close(), w.Close()) // which lets them all go
	for _, cmd := range all {
		failed = errors.Join(failed, cmd.Wait())
	}
	return failed
}

func oneChild(line string) error {
	if _, err := io.ReadAll(os.Stdin); err != nil {
		return err
	}
	lock, err := os.OpenFile("lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return errors.Join(enter("journal", line), os.WriteFile("mark", nil, 0o644), lock.Close())
}

// exclusive lets threads take turns by a lock file that each makes and takes away.
func exclusive([]string) error {
	return together(func(line string) error {
		lock, err := os.OpenFile("lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		for os.IsExist(err) {
			lock, err = os.OpenFile("lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		}
		if err != nil {
			return err
		}
		return errors.Join(enter("journal", line), os.Remove("lock"), lock.Close())
	})
}
