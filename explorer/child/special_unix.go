//go:build unix

package child

import (
	"io/fs"
	"net"
	"syscall"
)

// makeSpecial makes a named pipe, or a socket that nobody listens at.
func makeSpecial(at string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return syscall.Mkfifo(at, 0o600)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}
