package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"
)

// The first thread stays with the main function that ends it.
func init() {
	if len(os.Args) > 1 && os.Args[1] == "leaderless" {
		runtime.LockOSThread()
	}
}

// leaderless ends its first thread, as pthread_exit does, and goes on in another: it sends, and then writes.
func leaderless([]string) error {
	go func() {
		time.Sleep(50 * time.Millisecond) // the first thread is gone by now
		if err := sendTwo(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}()
	_, _, errno := syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
	return errno
}

func sendTwo() error {
	to, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer to.Close()
	from, err := net.Dial("udp", to.LocalAddr().String())
	if err != nil {
		return err
	}
	defer from.Close()
	for range 2 {
		if _, err := from.Write([]byte("x")); err != nil {
			return err
		}
	}
	return os.WriteFile("end", []byte("x"), 0o644)
}
