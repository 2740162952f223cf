package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// bootID is the beginning of the boot's id, or empty where the system keeps it to itself.
var bootID = sync.OnceValue(func() string {
	data, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(data) < 8 {
		return ""
	}
	return string(data[:8])
})

func startOf(pid int) (string, error) {
	_, started, err := readStat(pid)
	return started, err
}

// runs reports whether a process exists, is no corpse and started when it should have. When /proc shows
// nothing the signal decides: some systems hide the processes of others.
func runs(pid int, started string) bool {
	if pid <= 0 {
		return false
	}
	state, now, err := readStat(pid)
	if err != nil {
		return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	// A killed process stays as a corpse until its parent has asked for it; it does nothing any more.
	if state == "Z" || state == "X" {
		return false
	}
	return started == "" || started == now
}

// readStat returns the state letter and the start of a process.
//
// Grammar: PID (NAME) STATE ... with the start as field 22. NAME may hold blanks and brackets, so
// fields are counted from the last bracket.
func readStat(pid int) (state, started string, err error) {
	path := "/proc/" + strconv.Itoa(pid) + "/stat"
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	text := string(data)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const stateAt, startAt = 0, 19
	if len(fields) <= startAt {
		return "", "", fmt.Errorf("%s: %d fields after the name, want more than %d", path, len(fields), startAt)
	}
	return fields[stateAt], fields[startAt] + "@" + bootID(), nil
}
