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
	const family = 2            // bytes
	size = uint64(uint32(size)) // as the kernel takes it
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
func (l *life) socketKind(t *task, s *stop, link string) string {
	if k, ok := l.sockets[link]; ok {
		return k
	}
	own, err := l.descriptor(t, s.fd)
	if err != nil {
		return pathSocket
	}
	k, loose := describeSocket(own)
	_ = unix.Close(own)
	switch {
	case k != "" || !loose:
		l.sockets[link] = k
	case s.kind == kindSend && addressed(t, s):
		return pathUnix
	}
	return k
}

// describeSocket returns what a socket's bytes go to. A loose one may come to lead elsewhere, or lead there with a
// single message.
func describeSocket(fd int) (kind string, loose bool) {
	domain, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	style, _ := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	switch domain {
	case unix.AF_INET, unix.AF_INET6:
		if style == unix.SOCK_STREAM {
			return pathTCP, false
		}
		return pathUDP, false
	case unix.AF_UNIX:
		own, _ := unix.Getsockname(fd)
		peer, err := unix.Getpeername(fd)
		if hasName(own) || hasName(peer) {
			return pathUnix, false
		}
		return "", style == unix.SOCK_DGRAM || err != nil
	}
	return "", false
}

func hasName(a unix.Sockaddr) bool {
	u, ok := a.(*unix.SockaddrUnix)
	return ok && len(u.Name) > 1 // "@" alone is no name
}

// addressed reports whether a call says itself where a message goes.
func addressed(t *task, s *stop) bool {
	const most, size, part = 1024, 64, 12 // messages in a call, bytes of each, and of its address
	messages := uint64(1)
	switch s.nr {
	case unix.SYS_SENDTO:
		return s.args[4] != 0 && uint32(s.args[5]) > 0
	case unix.SYS_SENDMMSG:
		messages = min(uint64(uint32(s.args[2])), most)
	}
	for i := range messages {
		var header [part]byte
		if readMemory(t.tid, s.args[1]+i*size, header[:]) != part {
			return false
		}
		if binary.NativeEndian.Uint64(header[:]) != 0 && binary.NativeEndian.Uint32(header[8:]) > 0 {
			return true
		}
	}
	return false
}
