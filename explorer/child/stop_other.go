//go:build !linux

package child

import "errors"

// CanPause reports whether a process can be stopped and woken here, with its wait status checked.
const CanPause = false

var errNoPause = errors.New("a process can't be paused and checked on this system: use --mode simulate")

func stopped(int) error { return errNoPause }

func woken(int) error { return errNoPause }

// exited never says so: here only the time that a child is given bounds the wait for one whose pipe is held.
func exited(int) bool { return false }

func stop(int) error { return errNoPause }

func wake(int) error { return errNoPause }

func stopSelf() error { return errNoPause }
