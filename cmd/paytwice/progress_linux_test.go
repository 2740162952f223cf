package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// onTerminal runs a command whose standard error is a terminal, and returns what appears there.
func onTerminal(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	cmd.Stderr = tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	// Once nobody has the terminal open any more, the read ends in an error of its own.
	var shown bytes.Buffer
	_, _ = io.Copy(&shown, screen)
	if code := exitOf(t, cmd.Wait()); code != 0 {
		t.Errorf("%v: exit code %d: %s", cmd.Args[1:], code, shown.String())
	}
	return shown.String()
}

var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestProgress_Terminal: a bar with count, total, rate and time left, which is gone at the end; a total that is
// not known is left out.
func TestProgress_Terminal(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a total": {strings.Fields("matrix --mode simulate --strategy all --provider all --workers 2"), `matrix +\d+% \|[^|]{30}\| \(\d+/2\d\d, \d+ it/[a-z]+\) \[[0-9.hms]+:[0-9.hms]+\]`},
		"none":    {strings.Fields("explore refund --crashes 4 --strategy operation-id --faults unavailable --workers 1"), `explore \(\d+/-, \d+ it/[a-z]+\) \[[0-9.hms]+\]`},
		// Each phase has a bar of its own, after two runs that are recorded.
		"phases":  {[]string{"exec", "--dir", t.TempDir(), "--check", "true", "--", "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo x >f; done"}, `exec +\d+% \|[^|]{30}\| \([1-9]\d*/36, \d+ it/[a-z]+\) \[[0-9.hms]+:[0-9.hms]+\]`},
		"several": {strings.Fields("check batch transfer graph-node refund --mode simulate --crashes 1 --workers 1"), `check +\d+% \|[^|]{30}\| \(\d+/4(, \d+ it/[a-z]+)?\) \[`},
	} {
		cmd := started(t, c.args...)
		cmd.Env = append(cmd.Env, "NO_COLOR=1", "TERM=xterm")
		shown := onTerminal(t, cmd)
		if !regexp.MustCompile(c.want).MatchString(shown) {
			t.Errorf("%s: no %s in %q", name, c.want, shown)
		}
		if colour.MatchString(shown) {
			t.Errorf("%s: colour although NO_COLOR is set: %q", name, shown)
		}
		if left := shown[strings.LastIndex(shown, "\r")+1:]; strings.TrimSpace(left) != "" {
			t.Errorf("%s: the bar is left on the screen: %q", name, left)
		}
	}
}

// TestProgress_None: nothing with --quiet, and lines where no terminal can draw.
func TestProgress_None(t *testing.T) {
	args := []string{"matrix", "--mode", "simulate", "--strategy", "all"}
	quiet := started(t, append(args, "--quiet")...)
	quiet.Env = append(quiet.Env, "TERM=xterm", everyStep+"=1")
	if shown := onTerminal(t, quiet); shown != "" {
		t.Errorf("--quiet: %q", shown)
	}
	dumb := started(t, args...)
	dumb.Env = append(dumb.Env, "TERM=dumb", everyStep+"=1")
	if shown := onTerminal(t, dumb); !strings.Contains(shown, "matrix: 21 of 21\r\n") || strings.Contains(shown, "|") {
		t.Errorf("TERM=dumb: %q", shown)
	}
	var errOut bytes.Buffer
	piped := started(t, args...)
	piped.Env = append(piped.Env, "TERM=xterm", everyStep+"=1")
	piped.Stderr = &errOut
	if err := piped.Run(); err != nil || !strings.HasSuffix(errOut.String(), "matrix: 21 of 21\n") || strings.Contains(errOut.String(), "\r") {
		t.Errorf("no terminal: %v, %q", err, errOut.String())
	}
	devNull, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer devNull.Close()
	nowhere := started(t, args...)
	nowhere.Stderr = devNull
	if err := nowhere.Run(); err != nil {
		t.Error(err)
	}
}
