package blackbox

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// readSocketPath returns the absolute path that an address of a socket names, or nothing: other families, and what
// the kernel calls abstract and unnamed, stand for nothing in a folder.
func (l *life) readSocketPath(t *task, at, size uint64) string {
	var address [unix.SizeofSockaddrUnix]byte
	const family = 2 // bytes
	if size <= family || size > uint64(len(address)) || readMemory(t.tid, at, address[:size]) != int(size) {
		return ""
	}
	name, _, _ := bytes.Cut(address[family:size], []byte{0})
	if binary.NativeEndian.Uint16(address[:]) != unix.AF_UNIX || len(name) == 0 {
		return ""
	}
	return l.resolve(t, -1, string(name))
}

// socketKind returns what stands in the place of a path for a socket, empty for one that leads nowhere
// outside the program: netlink, and pairs without a name. One that can't be looked at may lead anywhere.
func (l *life) socketKind(t *task, fd int, link string) string {
	if k, ok := l.sockets[link]; ok {
		return k
	}
	own, err := l.descriptor(t, fd)
	if err != nil {
		return pathSocket
	}
	k := describeSocket(own)
	_ = unix.Close(own)
	l.sockets[link] = k
	return k
}

func describeSocket(fd int) string {
	domain, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	kind, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	switch domain {
	case unix.AF_INET, unix.AF_INET6:
		if kind == unix.SOCK_STREAM {
			return pathTCP
		}
		return pathUDP
	case unix.AF_UNIX:
		for _, f := range []func(int) (unix.Sockaddr, error){unix.Getsockname, unix.Getpeername} {
			if a, err := f(fd); err == nil {
				if u, ok := a.(*unix.SockaddrUnix); ok && len(u.Name) > 1 { // "@" alone is no name
					return pathUnix
				}
			}
		}
	}
	return ""
}
