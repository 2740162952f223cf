package blackbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// fullnessPeriod is how often the folder of a life that is not traced is measured: its writes are not counted.
const fullnessPeriod = time.Second

// watchFullness ends a life that fills its folder beyond what may be read back. The returned function ends the watch.
func (l *life) watchFullness() func() {
	if l.spec.tracing {
		return func() {}
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(fullnessPeriod)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if sizeOf(l.spec.root) > l.spec.limits.caseBytes() {
					l.interrupt(causeTooLarge)
				}
			}
		}
	}()
	return func() { close(stop); <-done }
}

// hasRoom reports whether the disk of a folder has some bytes left. What is left of it in reserve is for root.
func hasRoom(path string, least uint64) bool {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil || st.Blocks == 0 {
		return true
	}
	blocks := st.Bavail
	if os.Geteuid() == 0 {
		blocks = st.Bfree
	}
	return blocks*uint64(st.Bsize) >= least && (st.Files == 0 || st.Ffree > 0)
}

// sizeOf returns the bytes of the files in a folder, as far as it can be read while a program works there.
func sizeOf(root string) int64 {
	size := int64(0)
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Nlink > 0 {
				size += st.Size / int64(st.Nlink)
			}
		}
		return nil
	})
	return size
}
