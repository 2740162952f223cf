package main

import (
	"errors"
	"os"
	"syscall"
	"unsafe"
)

// bind makes its effect once and binds a socket to a name, which "anew" takes away first. A socket that a life before
// has left makes it fail without.
func bind(args []string) error {
	if err := elsewhere(); err != nil {
		return err
	}
	if _, err := os.Stat("effects"); err != nil {
		if err := os.WriteFile("effects", []byte("effect-0\n"), 0o644); err != nil {
			return err
		}
	}
	if len(args) > 0 {
		if err := os.Remove("ctl.sock"); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return bindTo(syscall.AF_UNIX, &syscall.SockaddrUnix{Name: "ctl.sock"})
}

// elsewhere binds sockets to what is no name in a folder.
func elsewhere() error {
	return errors.Join(
		bindTo(syscall.AF_UNIX, &syscall.SockaddrUnix{Name: "@ctl.sock"}),
		bindTo(syscall.AF_UNIX, &syscall.SockaddrUnix{Name: ""}),
		bindTo(syscall.AF_INET, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
}

func bindTo(family int, to syscall.Sockaddr) error {
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return errors.Join(syscall.Bind(fd, to), syscall.Close(fd))
}

// datagrams sends to a socket with a name from one that has none: with the address in each call, and connected.
func datagrams(args []string) error {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	_, _ = syscall.Write(fd, []byte("to nobody")) // which must not be remembered
	to, text := &syscall.SockaddrUnix{Name: args[0]}, []byte("x")
	if err := errors.Join(syscall.Sendto(fd, text, 0, to), syscall.Sendmsg(fd, text, nil, to, 0), sendSecond(fd, args[0]), syscall.Connect(fd, to)); err != nil {
		return err
	}
	_, err = syscall.Write(fd, text)
	return errors.Join(err, os.WriteFile("end", nil, 0o644))
}

// sendSecond sends two messages in one call, of which the second alone has an address.
func sendSecond(fd int, to string) error {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	var name syscall.RawSockaddrUnix
	name.Family = syscall.AF_UNIX
	for i := range len(to) {
		name.Path[i] = int8(to[i])
	}
	text := []byte("x")
	part := syscall.Iovec{Base: &text[0], Len: 1}
	type message struct {
		header syscall.Msghdr
		sent   uint32
	}
	messages := [2]message{{header: syscall.Msghdr{Iov: &part, Iovlen: 1}}, {header: syscall.Msghdr{Iov: &part, Iovlen: 1}}}
	messages[1].header.Name, messages[1].header.Namelen = (*byte)(unsafe.Pointer(&name)), uint32(3+len(to))
	const sendmmsg = 307
	if n, _, errno := syscall.Syscall6(sendmmsg, uintptr(pair[0]), uintptr(unsafe.Pointer(&messages)), 2, 0, 0, 0); n != 2 {
		return errno
	}
	_, err = syscall.Write(pair[0], text) // to the other end, which leads nowhere
	return err
}
