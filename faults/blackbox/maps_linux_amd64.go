package blackbox

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// area is one line of a task's maps: addresses that stand for a part of a file.
type area struct {
	low, high, offset uint64
	shared            bool
	path              string
}

func parseArea(line string) (area, bool) {
	fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
	if len(fields) < 6 {
		return area{}, false
	}
	from, to, _ := strings.Cut(fields[0], "-")
	a := area{shared: strings.HasSuffix(fields[1], "s"), path: strings.TrimLeft(fields[5], " ")}
	a.low, _ = strconv.ParseUint(from, 16, 64)
	a.high, _ = strconv.ParseUint(to, 16, 64)
	a.offset, _ = strconv.ParseUint(fields[2], 16, 64)
	return a, strings.HasPrefix(a.path, "/")
}

// classifyMap finds the file behind an address, and the part of it that a call is about. One map may stand in several
// lines, where parts of it are protected in different ways.
func (l *life) classifyMap(t *task, s *stop) {
	if s.args[1] == 0 {
		return // nothing is synced
	}
	maps, err := os.ReadFile("/proc/" + strconv.Itoa(t.tid) + "/maps")
	if err != nil {
		s.hidden = hides(t)
		return
	}
	first, end, path := s.args[0], s.args[0]+s.args[1], ""
	for line := range strings.Lines(string(maps)) {
		a, ok := parseArea(line)
		if !ok || !a.shared || a.high <= first || a.low >= end {
			continue
		}
		switch {
		case path == "" && a.low <= first:
			path = a.path
		case path != a.path:
			continue
		}
		low, high := max(a.low, first), min(a.high, end)
		s.part.add(span{int64(a.offset + low - a.low), int64(a.offset + high - a.low)})
	}
	var st unix.Stat_t
	if path != "" && unix.Stat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
		const page = 4096
		s.part.end = (s.part.end + page - 1) / page * page
		s.ino = inode{st.Dev, st.Ino}
		l.placeStop(s, path)
		l.noteElsewhere(t, s)
	}
}
