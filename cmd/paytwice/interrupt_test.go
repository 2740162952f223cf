package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// stubborn is a program that goes on when it is asked to stop: it has a child, a folder of cases and a file
// that is half written.
func stubborn() {
	sameStop = 0
	ctx := interruptible(os.Stderr)
	dir, err := child.CaseFolder()
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	check(err)
	p := &program{}
	_, err = p.open(&writing{file: os.Args[1]})
	check(err)
	process, wait, err := child.Start(context.Background(), child.Spec{Path: "/bin/sleep", Args: []string{"1000"}, Dir: dir, Timeout: time.Hour,
		Event: func(history.Event) {}, Wait: func(time.Duration) time.Time { return time.Time{} }, Paused: func(faults.Point) time.Time { return time.Time{} }})
	check(err)
	go func() {
		<-ctx.Done()
		fmt.Println("asked to stop")
	}()
	fmt.Println(dir)
	fmt.Println(process.PID())
	_, err = wait()
	check(err)
}
