//go:build unix

package child_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
)

// The test binary started again is the child: its task is in the environment.
func TestMain(m *testing.M) {
	if task := os.Getenv(child.Env); task != "" {
		os.Exit(live(task))
	}
	os.Exit(m.Run())
}

const (
	ledger = "ledger.txt"
	fifo   = "alive.fifo"
)

var saveSite = faults.Site{Seam: "store", Operation: "save"}

// live is the child's side of every test.
func live(task string) int {
	switch task {
	case "holder": // a grandchild: it holds the FIFO open as long as it lives
		return hold()
	case "garbage", "endless", "garbage passes", "endless passes", "claims", "terminated":
		return raw(task)
	}
	early := ""
	if task == "starts before it attaches" {
		early = inherits()
	}
	seat, err := child.Attach()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if early != "" {
		say(seat, early)
	}
	return tasks[task](seat)
}

// inherits starts a process and returns which of the pipes' numbers are open in it.
func inherits() string {
	out, err := exec.Command("sh", "-c", "for fd in 3 4 5; do [ -e /proc/self/fd/$fd ] && echo open: $fd; done; echo looked").Output()
	if err != nil {
		panic(err)
	}
	return string(out)
}

var tasks = map[string]func(*child.Seat) int{
	"reports": func(s *child.Seat) int {
		s.ReportPasses(func(p faults.Point) string { return "line of " + p.Name() })
		s.Begin()
		for range 2 {
			c, err := s.Injector.Enter(saveSite)
			if err != nil {
				return 1
			}
			c.At(faults.Before)
			say(s, "told by itself")
			c.At(faults.After)
		}
		s.End(history.Done, nil)
		return 0
	},
	"puts a file in the place of its pass log": func(s *child.Seat) int {
		s.ReportPasses(func(faults.Point) string { return "" })
		for n := range 3 {
			if n == 1 {
				if f, err := os.Create("mine"); err != nil || unix.Dup2(int(f.Fd()), 5) != nil {
					return 1
				}
			}
			c, err := s.Injector.Enter(saveSite)
			if err != nil {
				return 1
			}
			c.At(faults.Before)
		}
		s.End(history.Done, nil)
		return 0
	},
	"closes what it did not open": func(s *child.Seat) int {
		closeThePipes()
		time.Sleep(50 * time.Millisecond) // the parent has seen it by now
		s.End(history.Done, nil)
		return 0
	},
	"closes what it did not open, and stays": func(*child.Seat) int { closeThePipes(); forever(); return 0 },
	"walk": func(s *child.Seat) int {
		for range 3 {
			c, err := s.Injector.Enter(saveSite)
			if err != nil {
				return 1
			}
			pass(s, c, faults.Before)
			note(fmt.Sprintln("save", c.N()))
			pass(s, c, faults.After)
		}
		s.End(history.Done, nil)
		return 0
	},
	"starts before it attaches": func(s *child.Seat) int {
		say(s, inherits())
		s.End(history.Done, nil)
		return 0
	},
	"person":               func(s *child.Seat) int { s.End(history.Person, nil); return 0 },
	"fails":                func(s *child.Seat) int { s.End(history.Failed, errors.New("out of paper")); return 1 },
	"ends well, and badly": func(s *child.Seat) int { s.End(history.Done, nil); return 66 },
	"alarms": func(s *child.Seat) int {
		for _, part := range []string{"before it ALA", "RM, this and that\n", strings.Repeat(strings.Repeat("x", 80)+"\n", 500)} {
			fmt.Fprint(os.Stderr, part)
			time.Sleep(5 * time.Millisecond) // so that mostly each arrives by itself
		}
		return saves(s)
	},
	"dies": func(*child.Seat) int {
		fmt.Fprintln(os.Stderr, "boom\nand more of it")
		return 3
	},
	"silent": func(*child.Seat) int { return 4 },
	"hangs": func(s *child.Seat) int {
		say(s, "hanging")
		forever()
		return 0
	},
	"family": func(s *child.Seat) int { startHolder(s, false); s.End(history.Done, nil); return 0 },
	"family hangs": func(s *child.Seat) int {
		startHolder(s, false)
		say(s, "hanging")
		forever()
		return 0
	},
	"left home": func(s *child.Seat) int { startHolder(s, true); s.End(history.Done, nil); return 0 },
	"left home with the pipes": func(s *child.Seat) int {
		startHolder(s, true, 3, 4, 5)
		return saves(s)
	},
	"left home with the pipes, and hangs": func(s *child.Seat) int {
		startHolder(s, true, 3, 4, 5)
		forever()
		return 0
	},
	"suicide": func(*child.Seat) int { faults.KillSelf(); return 0 },
	"waits": func(s *child.Seat) int {
		say(s, s.Now().Format(time.RFC3339))
		for _, d := range []time.Duration{5 * time.Second, 2 * time.Minute} {
			if err := s.Wait(context.Background(), d); err != nil {
				return 1
			}
			say(s, s.Now().Format(time.RFC3339))
		}
		stopped, stop := context.WithCancel(context.Background())
		stop()
		if s.Wait(stopped, time.Hour) != nil {
			s.End(history.Done, nil)
		}
		return 0
	},
	"talks": func(*child.Seat) int {
		for range 2000 {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 80))
		}
		fmt.Fprintln(os.Stderr, "last words")
		return 5
	},
	"passes": func(s *child.Seat) int { // it passes its point, and nothing strikes
		s.Record(history.Event{Seam: "store", Operation: "save", Position: "after", Call: 1})
		s.End(history.Done, nil)
		return 0
	},
	"long line": func(s *child.Seat) int {
		say(s, strings.Repeat("y", 300<<10))
		s.End(history.Done, nil)
		return 0
	},
	"order": func(s *child.Seat) int {
		say(s, s.Order.Task+" "+string(s.Order.Config)+" "+s.Order.Life.String()+" "+os.Getenv("EXTRA"))
		s.End(history.Done, nil)
		return 0
	},
}

// saves passes the point before a save, and ends well.
func saves(s *child.Seat) int {
	c, err := s.Injector.Enter(saveSite)
	if err != nil {
		return 1
	}
	pass(s, c, faults.Before)
	s.End(history.Done, nil)
	return 0
}

func pass(s *child.Seat, c faults.Call, pos faults.Position) {
	s.Record(history.Event{Seam: saveSite.Seam, Operation: saveSite.Operation, Position: pos.String(), Call: c.N(), At: s.Now()})
	c.At(pos)
}

func say(s *child.Seat, what string) { s.Record(history.Event{What: what}) }

func note(text string) {
	f, err := os.OpenFile(ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		panic(err)
	}
}

func closeThePipes() {
	for fd := 3; fd < 6; fd++ {
		_ = syscall.Close(fd)
	}
}

// forever waits for a signal that never comes: unlike an empty select it is no deadlock.
func forever() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR2)
	<-never
}

// startHolder starts a grandchild, in a session of its own if it leaves home, gives it copies of these
// descriptors, and waits until it holds the FIFO.
func startHolder(s *child.Seat, leaves bool, given ...int) {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), child.Env+"=holder")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: leaves}
	for _, fd := range given {
		copied, err := syscall.Dup(fd)
		if err != nil {
			panic(err)
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(copied), "given"))
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(out).ReadString('\n')
	}
	if err != nil {
		panic(err)
	}
	say(s, fmt.Sprint(cmd.Process.Pid))
}

func hold() int {
	f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
	if err != nil {
		return 1
	}
	fmt.Fprint(f, "x")
	fmt.Println("ready")
	forever()
	return 0
}

func endless(to *os.File) {
	for {
		if _, err := to.Write(make([]byte, 1<<20)); err != nil {
			os.Exit(1)
		}
	}
}

// raw speaks to the parent without a seat.
func raw(task string) int {
	says, told := os.NewFile(3, "says"), bufio.NewReader(os.NewFile(4, "told"))
	if _, err := told.ReadBytes('\n'); err != nil {
		return 1
	}
	switch task {
	case "garbage":
		fmt.Fprintln(says, "this is no message")
		forever()
	case "endless":
		endless(says)
	case "garbage passes":
		fmt.Fprintln(os.NewFile(5, "passes"), "this is no message")
		fmt.Fprintln(says, `{"ended":{"end":"done"}}`)
	case "endless passes":
		go endless(os.NewFile(5, "passes"))
		for {
			time.Sleep(10 * time.Millisecond)
			fmt.Fprintln(says, `{"begins":true}`)
		}
	case "claims": // it says that it was struck, and lives on
		fmt.Fprintln(says, `{"struck":"store.save/after#1"}`)
		fmt.Fprintln(says, `{"ended":{"end":"done"}}`)
	case "terminated": // it says that it was struck, and dies of another signal
		fmt.Fprintln(says, `{"struck":"store.save/after#1"}`)
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		forever()
	}
	return 0
}
