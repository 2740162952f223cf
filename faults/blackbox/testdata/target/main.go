// Command target is the small program of many habits that the tests crash.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

var programs = map[string]func(args []string) error{
	"careful": careful, "careless": careless, "late": late, "threads": threads, "locks": locks, "nothing": nothing,
	"hang": hang, "read": read, "daemon": daemon, "outside": outside, "flood": flood, "fill": fill, "random": random,
	"fail": fail, "ring": ring, "pieces": pieces, "kinds": kinds, "signals": signals, "replace": replace,
	"sleep": sleep, "mapped": mapped, "many": many, "poison": poison, "stall": stall, "longpath": longpath, "tty": tty,
	"execs": execs, "locked": locked, "relapse": relapse, "relay": relay, "service": service, "sectors": sectors, "atomic": atomic,
	"marks": marks, "hide": hide, "splices": splices,
	"race": race, "children": children, "exclusive": exclusive,
	"linked": linked, "leaderless": leaderless, "absolute": absolute, "move-out": moveOut, "deep": deep, "rooted": rooted, "closed": closed, "swell": swell, "reopen": reopen, "durable-mark": durableMark, "untouched": untouched,
	"bind": bind, "datagrams": datagrams, "sync-system": syncSystem, "dotdot": dotdot, "two-names": twoNames, "move-in": moveIn, "map-part": mapPart,
}

func main() {
	program, ok := programs[os.Args[1]]
	if !ok {
		fmt.Fprintln(os.Stderr, "unknown program", os.Args[1])
		os.Exit(2)
	}
	if err := program(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func number(args []string, otherwise int) int {
	if len(args) == 0 {
		return otherwise
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		panic(err)
	}
	return n
}

// lines returns the complete lines of a file, and cuts off an incomplete last one.
func lines(name string) (map[string]bool, error) {
	data, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	end := strings.LastIndexByte(string(data), '\n') + 1
	if end < len(data) {
		if err := os.Truncate(name, int64(end)); err != nil {
			return nil, err
		}
	}
	out := map[string]bool{}
	for _, l := range strings.Fields(string(data[:end])) {
		out[l] = true
	}
	return out, nil
}

// appendLine writes a line to a file and makes it durable.
func appendLine(f *os.File, line string) error {
	if _, err := f.WriteString(line + "\n"); err != nil {
		return err
	}
	return f.Sync()
}

// careful makes n effects, each once: it looks what has been done before.
func careful(args []string) error {
	done, err := lines("effects")
	if err != nil {
		return err
	}
	f, err := os.OpenFile("effects", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	for i := range number(args, 3) {
		line := fmt.Sprint("effect-", i)
		if !done[line] {
			if err := appendLine(f, line); err != nil {
				return err
			}
		}
		fmt.Println("done " + line)
	}
	return f.Close()
}

// hide makes a file, keeps all of its user from looking into it, and makes another.
func hide([]string) error {
	if err := os.WriteFile("start", nil, 0o644); err != nil {
		return err
	}
	const setDumpable = 4
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0); errno != 0 {
		return errno
	}
	return os.WriteFile("end", nil, 0o644)
}

// splices moves what comes out of a pipe into a file, and nothing comes before another file is there.
func splices([]string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	to, err := os.Create("copy")
	if err != nil {
		return err
	}
	written := make(chan error)
	go func() {
		time.Sleep(50 * time.Millisecond) // the other is waiting by now
		err := os.WriteFile("first", nil, 0o644)
		_, e := w.WriteString("spliced\n")
		written <- errors.Join(err, e)
	}()
	if _, err := syscall.Splice(int(r.Fd()), nil, int(to.Fd()), nil, 100, 0); err != nil {
		return err
	}
	return errors.Join(<-written, to.Close())
}

// linked makes one effect by one name of a file, and looks for it by the other.
func linked([]string) error {
	done, err := lines("other")
	if err != nil || done["effect-0"] {
		return err
	}
	f, err := os.OpenFile("effects", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(appendLine(f, "effect-0"), f.Close())
}

// marks makes one effect, and notes beforehand that it did in what a file has beside its bytes.
func marks(args []string) error {
	const claim = "claim"
	f, err := os.OpenFile("effects", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	past := time.Unix(1_000_000_000, 0)
	if _, err := os.Stat(claim); os.IsNotExist(err) {
		if err := os.WriteFile(claim, nil, 0o600); err != nil {
			return err
		}
	}
	info, err := os.Stat(claim)
	if err != nil {
		return err
	}
	marked := false
	switch args[0] {
	case "mode":
		marked = info.Mode() == 0o400
		err = os.Chmod(claim, 0o400)
	case "sticky":
		marked = info.Mode()&os.ModeSticky != 0
		err = os.Chmod(claim, 0o600|os.ModeSticky)
	case "owner":
		marked = info.Sys().(*syscall.Stat_t).Gid == 1
		err = os.Chown(claim, 1, 1)
	case "twice":
		// Between the two there is a state that no other call shows.
		marked = info.Mode() == 0o400
		err = errors.Join(os.Chmod(claim, 0o400), os.Chmod(claim, 0o600))
	case "time":
		marked = info.ModTime().Equal(past)
		err = os.Chtimes(claim, past, past)
	case "moved":
		marked = info.ModTime().Equal(past)
		err = move(claim, past)
	case "attribute":
		_, e := syscall.Getxattr(claim, "user.claimed", nil)
		marked = e == nil
		err = syscall.Setxattr(claim, "user.claimed", []byte("yes"), 0)
	}
	if err != nil || marked {
		return err
	}
	return errors.Join(appendLine(f, "effect-0"), f.Close())
}

// move gives a name to a file with another time, in a new life if need be.
func move(name string, past time.Time) error {
	if info, err := os.Stat("next"); err != nil || !info.ModTime().Equal(past) {
		if err := errors.Join(os.WriteFile("next", nil, 0o600), os.Chtimes("next", past, past)); err != nil {
			return err
		}
	}
	return os.Rename("next", name)
}

// careless makes n effects and notes how far it came in a second file, after the effect.
func careless(args []string) error {
	done, err := lines("notes")
	if err != nil {
		return err
	}
	return notedEffects(number(args, 3), done, func(int) bool { return false })
}

// service is careless, and reads a file a hundred times before each effect, as what serves requests does.
func service(args []string) error {
	done, err := lines("notes")
	if err != nil {
		return err
	}
	return notedEffects(number(args, 3), done, func(int) bool {
		for range 100 {
			_, _ = os.ReadFile("/proc/self/limits")
		}
		return false
	})
}

// late is careful at all effects but one.
func late(args []string) error {
	done, err := lines("notes")
	if err != nil {
		return err
	}
	made, err := lines("effects")
	if err != nil {
		return err
	}
	bug := number(args[1:], 7)
	return notedEffects(number(args, 3), done, func(i int) bool { return i != bug && made[fmt.Sprint("effect-", i)] })
}

func notedEffects(n int, done map[string]bool, made func(int) bool) error {
	effects, err := os.OpenFile("effects", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	notes, err := os.OpenFile("notes", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	for i := range n {
		line := fmt.Sprint("effect-", i)
		if done[line] {
			continue
		}
		if !made(i) {
			if _, err := effects.WriteString(line + "\n"); err != nil {
				return err
			}
		}
		if _, err := notes.WriteString(line + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// threads writes two files from two threads that know nothing of each other.
func threads(args []string) error {
	var wg sync.WaitGroup
	for _, name := range []string{"left", "right"} {
		wg.Go(func() {
			runtime.LockOSThread()
			f, err := os.Create(name)
			if err != nil {
				panic(err)
			}
			for i := range number(args, 20) {
				if _, err := fmt.Fprintln(f, i); err != nil {
					panic(err)
				}
			}
		})
	}
	wg.Wait()
	return nil
}

// locks writes one file from two threads that share a lock.
func locks(args []string) error {
	f, err := os.Create("shared")
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			runtime.LockOSThread()
			for range number(args, 10) {
				mu.Lock()
				_, _ = f.WriteString("x\n")
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return nil
}

// locked takes a lock before the first write, in an order that differs from run to run: whoever comes
// first writes both lines of its own.
func locked([]string) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	names := []string{"a", "b"}
	rand.Shuffle(2, func(i, j int) { names[i], names[j] = names[j], names[i] })
	first := make(chan struct{})
	for i, name := range names {
		wg.Go(func() {
			if i == 1 {
				<-first
			}
			mu.Lock()
			defer mu.Unlock()
			if i == 0 {
				close(first)
			}
			_ = os.WriteFile(name, []byte("x"), 0o644)
		})
	}
	wg.Wait()
	return nil
}

func nothing([]string) error { fmt.Println("nothing"); return nil }

func hang([]string) error {
	if err := os.WriteFile("started", nil, 0o644); err != nil {
		return err
	}
	select {
	case <-time.After(time.Hour):
	}
	return nil
}

// read waits for input and writes what it got.
func read([]string) error {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	return os.WriteFile("input", fmt.Appendf(nil, "%d bytes\n", len(data)), 0o644)
}

// daemon leaves two processes behind, in sessions of their own.
func daemon([]string) error {
	for range 2 {
		cmd := exec.Command(os.Args[0], "sleep")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		if err := os.WriteFile("pid", fmt.Appendln(nil, "left one behind"), 0o644); err != nil {
			return err
		}
		fmt.Println(cmd.Process.Pid)
	}
	return nil
}

func sleep([]string) error { time.Sleep(time.Hour); return nil }

func outside(args []string) error {
	if err := os.WriteFile("inside", []byte("x"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(args[0], []byte("x"), 0o644)
}

// flood writes n MiB to standard output.
func flood(args []string) error {
	if err := os.WriteFile("start", []byte("x"), 0o644); err != nil {
		return err
	}
	block := strings.Repeat("0123456789abcde\n", 1<<16)
	for range number(args, 64) {
		if _, err := os.Stdout.WriteString(block); err != nil {
			return err
		}
	}
	return nil
}

// fill writes a file until it is stopped.
func fill([]string) error {
	f, err := os.Create("big")
	if err != nil {
		return err
	}
	for block := make([]byte, 1<<20); ; {
		if _, err := f.Write(block); err != nil {
			return err
		}
	}
}

// random writes a number of times that differs from run to run.
func random([]string) error {
	f, err := os.Create("file")
	if err != nil {
		return err
	}
	for range 1 + rand.IntN(1000) {
		if _, err := f.WriteString("x"); err != nil {
			return err
		}
	}
	return nil
}

func fail([]string) error {
	_ = os.WriteFile("started", []byte("x"), 0o644)
	return fmt.Errorf("the reason why")
}

// ring reports what the kernel answers to one who wants a ring.
func ring([]string) error {
	params := [120]byte{}
	_, _, errno := syscall.Syscall(425, 8, uintptr(unsafe.Pointer(&params)), 0)
	return os.WriteFile("answer", fmt.Appendln(nil, errno), 0o644)
}

// pieces writes acknowledged lines in several pieces each, the last one without an end.
func pieces([]string) error {
	for i := range 3 {
		if err := os.WriteFile(fmt.Sprint("file-", i), []byte("x"), 0o644); err != nil {
			return err
		}
		for _, piece := range []string{"ack", "ed ", "file-", fmt.Sprint(i), "\n"} {
			_, _ = os.Stdout.WriteString(piece)
		}
	}
	_, _ = os.Stdout.WriteString("acked incomplete")
	return nil
}

// kinds makes one call of each common kind.
func kinds([]string) error {
	steps := []func() error{
		func() error { return os.Mkdir("d", 0o755) },
		func() error { return os.WriteFile("d/a b", []byte("one two"), 0o644) },
		func() error { return os.Rename("d/a b", "d/c") },
		func() error { return os.Link("d/c", "d/e") },
		func() error { return os.Symlink("c", "d/s") },
		func() error { return os.Truncate("d/c", 3) },
		func() error { return os.Remove("d/e") },
		func() error { return os.Mkdir("d/gone", 0o755) },
		func() error { return syscall.Rmdir("d/gone") },
		func() error {
			f, err := os.OpenFile("d/c", os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err := f.WriteAt([]byte("XY"), 1); err != nil {
				return err
			}
			if err := f.Truncate(2); err != nil {
				return err
			}
			if err := syscall.Fallocate(int(f.Fd()), 0, 0, 10); err != nil {
				return err
			}
			return f.Sync()
		},
		func() error {
			from, err := os.Open("d/c")
			if err != nil {
				return err
			}
			to, err := os.Create("copy")
			if err != nil {
				return err
			}
			_, err = io.Copy(to, from)
			return err
		},
		func() error {
			d, err := os.Open("d")
			if err != nil {
				return err
			}
			return d.Sync()
		},
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	syscall.Sync()
	return nil
}

// signals sends itself many signals while it writes.
func signals([]string) error {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = syscall.Kill(os.Getpid(), syscall.SIGURG)
				time.Sleep(20 * time.Microsecond)
			}
		}
	})
	for i := range 100 {
		if err := os.WriteFile("file", fmt.Append(nil, i), 0o644); err != nil {
			return err
		}
		fmt.Println(i)
	}
	close(stop)
	wg.Wait()
	return nil
}

// replace writes a new version beside the old one and renames it; with "sync" it is made durable first.
func replace(args []string) error {
	f, err := os.Create("value.new")
	if err != nil {
		return err
	}
	if _, err := f.WriteString("new\n"); err != nil {
		return err
	}
	if len(args) > 0 {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return os.Rename("value.new", "value")
}

// mapped stores through a map, which may have been made for reading.
func mapped(args []string) error {
	f, err := os.Create("map")
	if err != nil {
		return err
	}
	if err := f.Truncate(4096); err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "never" {
		r, err := os.Open("map")
		if err != nil {
			return err
		}
		_, err = syscall.Mmap(int(r.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_SHARED)
		return err
	}
	const both = syscall.PROT_READ | syscall.PROT_WRITE
	first := both
	if len(args) > 0 {
		first = syscall.PROT_READ
	}
	m, err := syscall.Mmap(int(f.Fd()), 0, 4096, first, syscall.MAP_SHARED)
	if err != nil {
		return err
	}
	if err := syscall.Mprotect(m, both); err != nil {
		return err
	}
	copy(m, "stored")
	return f.Sync()
}

// many starts children that write, some through a shell.
func many(args []string) error {
	var wg sync.WaitGroup
	for i := range number(args, 3) {
		wg.Go(func() {
			_ = exec.Command("/bin/sh", "-c", fmt.Sprintf("echo one > out-%d; echo two >> out-%d", i, i)).Run()
		})
	}
	wg.Wait()
	return nil
}

// poison fails for ever once it was killed at the wrong moment.
func poison([]string) error {
	if _, err := os.Stat("busy"); err == nil {
		return fmt.Errorf("busy")
	}
	if err := os.WriteFile("busy", []byte("x"), 0o644); err != nil {
		return err
	}
	return os.Remove("busy")
}

// stall waits for ever once it was killed at the wrong moment.
func stall([]string) error {
	if _, err := os.Stat("busy"); err == nil {
		time.Sleep(time.Hour)
	}
	if err := os.WriteFile("busy", []byte("x"), 0o644); err != nil {
		return err
	}
	return os.Remove("busy")
}

// longpath passes paths that end just before, at and after the end of a page.
func longpath([]string) error {
	const page = 4096
	mem, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	if err := syscall.Mprotect(mem[2*page:], syscall.PROT_NONE); err != nil {
		return err
	}
	for back := 3; back < 40; back++ {
		for _, end := range []int{page, 2 * page} { // into the next page, and up to the wall
			name := mem[end-back:]
			if end == 2*page {
				name = name[:back]
			}
			name[copy(name[:len(name)-1], "boundary")] = 0
			_, _, errno := syscall.Syscall(syscall.SYS_MKDIR, uintptr(unsafe.Pointer(&name[0])), 0o755, 0)
			if errno != 0 && errno != syscall.EEXIST {
				return errno
			}
		}
	}
	return nil
}

// tty writes to things that are no files: an event counter, a pipe of its own, a device, an unnamed pair.
func tty([]string) error {
	if err := os.WriteFile("file", []byte("x"), 0o644); err != nil {
		return err
	}
	fd, _, errno := syscall.Syscall(syscall.SYS_EVENTFD2, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	one := [8]byte{1}
	if _, err := syscall.Write(int(fd), one[:]); err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	_, _ = w.WriteString("pipe\n")
	_, _ = bufio.NewReader(r).ReadString('\n')
	if err := os.WriteFile("/dev/null", []byte("x"), 0o644); err != nil {
		return err
	}
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	_, err = syscall.Write(pair[0], one[:])
	fmt.Fprintln(os.Stderr, "to stderr")
	return err
}

// execs starts itself again from a thread that is not the first.
func execs(args []string) error {
	if n := number(args, 2); n > 0 {
		done := make(chan error)
		go func() {
			runtime.LockOSThread()
			if err := os.WriteFile(fmt.Sprint("exec-", n), []byte("x"), 0o644); err != nil {
				done <- err
			}
			done <- syscall.Exec(os.Args[0], []string{os.Args[0], "execs", strconv.Itoa(n - 1)}, os.Environ())
		}()
		return <-done
	}
	return os.WriteFile("end", []byte("x"), 0o644)
}

// relapse leaves a note while it makes its effect, and takes the effect back when it was killed meanwhile;
// but it takes the note away first.
func relapse([]string) error {
	if _, err := os.Stat("done"); err == nil {
		return nil
	}
	if _, err := os.Stat("note"); err == nil {
		if err := os.Remove("note"); err != nil {
			return err
		}
		if err := os.Truncate("effects", 0); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if err := os.WriteFile("note", nil, 0o644); err != nil {
		return err
	}
	f, err := os.OpenFile("effects", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("effect\n"); err != nil {
		return err
	}
	return os.Rename("note", "done")
}

// relay recovers in two lives: the first takes note of the crash and fails; the second looks whether the
// effect was made, but only once.
func relay([]string) error {
	exists := func(name string) bool { _, err := os.Stat(name); return err == nil }
	mark := func(name string) error { return os.WriteFile(name, nil, 0o644) }
	first := func(names ...string) string {
		for _, n := range names {
			if !exists(n) {
				return n
			}
		}
		return ""
	}
	if exists("done") {
		return nil
	}
	step := first("begun", "noticed", "resumed")
	if step != "" {
		if err := mark(step); err != nil {
			return err
		}
	}
	switch step {
	case "noticed":
		return fmt.Errorf("there was a crash: start again")
	case "resumed":
		if made, err := lines("effects"); err != nil || made["effect"] {
			return errors.Join(err, mark("done"))
		}
	}
	f, err := os.OpenFile("effects", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("effect\n"); err != nil {
		return err
	}
	return mark("done")
}

// sectors writes three sectors at once.
func sectors([]string) error { return os.WriteFile("file", []byte(strings.Repeat("x", 1536)), 0o644) }

// atomic replaces a file by way of another whose name differs from run to run.
func atomic([]string) error {
	f, err := os.CreateTemp(".", "value-*.tmp")
	if err != nil {
		return err
	}
	if _, err := f.WriteString("new\n"); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return os.Rename(f.Name(), "value")
}

// absolute notes effects through a name that leads to its folder by an absolute path: a link, or with "text" a line in
// a file. It replaces the whole file for each, and makes it durable before it goes on.
func absolute(args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if _, err := os.Lstat("data"); err != nil {
		if err := errors.Join(os.Mkdir("data", 0o755), syncFile(".")); err != nil {
			return err
		}
	}
	if _, err := os.Lstat("current"); err != nil {
		if err := errors.Join(nameFolder(args[0], dir+"/data"), syncFile(".")); err != nil {
			return err
		}
	}
	current, err := os.Readlink("current")
	if err != nil {
		text, err := os.ReadFile("current")
		if err != nil {
			return err
		}
		current = strings.TrimSpace(string(text))
	}
	for i := range 2 {
		if err := errors.Join(os.WriteFile(fmt.Sprint("scratch-", i), []byte("z"), 0o644), replaceWith(current, fmt.Sprintln("effect-", i))); err != nil {
			return err
		}
	}
	return nil
}

func nameFolder(how, dir string) error {
	if how == "link" {
		return os.Symlink(dir, "current")
	}
	return errors.Join(os.WriteFile("current.new", []byte(dir+"\n"), 0o644), syncFile("current.new"), os.Rename("current.new", "current"))
}

// replaceWith adds a line to the effects of a folder, if it isn't there.
func replaceWith(dir, line string) error {
	have, err := os.ReadFile(dir + "/effects")
	if err != nil && !os.IsNotExist(err) || strings.Contains(string(have), line) {
		return err
	}
	next := dir + "/next"
	return errors.Join(os.WriteFile(next, append(have, line...), 0o644), syncFile(next), os.Rename(next, dir+"/effects"), syncFile(dir))
}

func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// moveOut moves a file to a place outside the folder, or with "swap" exchanges it for the one there, and makes that
// durable.
func moveOut(args []string) error {
	const exchange = 2 // RENAME_EXCHANGE
	flags := uintptr(0)
	if len(args) > 1 {
		flags = exchange
	}
	from, err := syscall.BytePtrFromString("job")
	if err != nil {
		return err
	}
	to, err := syscall.BytePtrFromString(args[0])
	if err != nil {
		return err
	}
	here := ^uintptr(99) // AT_FDCWD
	const renameat2 = 316
	if _, _, errno := syscall.Syscall6(renameat2, here, uintptr(unsafe.Pointer(from)), here, uintptr(unsafe.Pointer(to)), flags, 0); errno != 0 {
		return errno
	}
	if err := syncFile("."); err != nil {
		return err
	}
	return os.WriteFile("end", []byte("x"), 0o644)
}

// swell fills its folder once it was killed at the wrong moment: with some files, or with "ever" more and more.
func swell(args []string) error {
	if _, err := os.Stat("busy"); err == nil {
		block := make([]byte, 1<<20)
		for i := 0; i < 5 || len(args) > 0; i++ {
			if err := os.WriteFile(fmt.Sprint("full-", i), block, 0o644); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return errors.Join(os.WriteFile("busy", []byte("x"), 0o644), os.Remove("busy"))
}
