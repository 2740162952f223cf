package blackbox_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/blackbox"
)

// The same careful and careless programs in other languages.
var scripts = map[string]string{
	"careful.py": `
import os
done = set(open("effects").read().split("\n")) if os.path.exists("effects") else set()
f = open("effects", "ab", buffering=0)
for i in range(2):
    line = f"effect-{i}"
    if line not in done:
        f.write((line + "\n").encode())
        os.fsync(f.fileno())
`,
	"careless.py": `
import os
done = os.path.exists("done")
if not done:
    with open("effects", "a") as f:
        f.write("effect\n")
    with open("done", "w") as f:
        f.write("done\n")
`,
	"careful.js": `
const fs = require("fs");
const done = fs.existsSync("effects") ? fs.readFileSync("effects", "utf8").split("\n") : [];
const f = fs.openSync("effects", "a");
for (let i = 0; i < 2; i++) {
  if (!done.includes("effect-" + i)) { fs.writeSync(f, "effect-" + i + "\n"); fs.fsyncSync(f); }
}
`,
	"careless.js": `
const fs = require("fs").promises;
(async () => {
  try { await fs.access("done"); return } catch {}
  await fs.appendFile("effects", "effect\n");
  await fs.writeFile("done", "done\n");
})();
`,
	"careful.sh": `
test -e effects && exit 0
echo effect > effects.new && mv effects.new effects
`,
	"careless.sh": `
test -e done && exit 0
echo effect >> effects
touch done
`,
	"threads.c": `
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *work(void *name) {
    int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    for (int i = 0; i < 5; i++) { pwrite(fd, "x", 1, i); fdatasync(fd); }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, "left");
    pthread_create(&b, 0, work, "right");
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
`,
}

func TestSweep_Languages(t *testing.T) {
	forTheGate(t)
	for _, c := range []struct {
		tool, itself string // the program that a launcher of that name starts
		script, want string
	}{
		{"python3", "import sys; print(sys.executable)", "careful.py", ""},
		{"python3", "import sys; print(sys.executable)", "careless.py", blackbox.DoubleWrite},
		{"node", "console.log(process.execPath)", "careful.js", ""},
		{"node", "console.log(process.execPath)", "careless.js", blackbox.DoubleWrite},
		{"sh", "command -v sh", "careful.sh", ""},
		{"sh", "command -v sh", "careless.sh", blackbox.DoubleWrite},
	} {
		t.Run(c.script, func(t *testing.T) {
			flag := "-c"
			if c.tool == "node" {
				flag = "-e"
			}
			out, err := exec.Command(c.tool, flag, c.itself).Output()
			if err != nil {
				t.Skipf("%s does not run here: %v", c.tool, err)
			}
			tool := strings.TrimSpace(string(out))
			cfg := target(t)
			cfg.Template = folderOf(t, map[string]string{c.script: scripts[c.script]})
			cfg.Env = nil // a launcher may need more than the path
			cfg.Command = []string{tool, c.script}
			cfg.ExactlyOnce, cfg.Sides = "effects", blackbox.AfterOnly
			r := sweep(t, cfg)
			t.Logf("%d calls; %s", r.Calls, r.Kills)
			if got := r.Kills.Violations; c.want == "" && len(got) > 0 || c.want != "" && got[c.want] == 0 {
				t.Errorf("%v, not %q", got, c.want)
			}
			if r.Kills.Landed != r.Calls {
				t.Errorf("%d of %d landed", r.Kills.Landed, r.Calls)
			}
		})
	}
}

// compileC returns a program of C source, or skips the test.
func compileC(t *testing.T, source string) string {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed")
	}
	bin := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command(gcc, "-x", "c", "-pthread", "-o", bin, "-")
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("gcc does not work: %v: %s", err, out)
	}
	return bin
}

func TestKill_CThreads(t *testing.T) {
	cfg := target(t)
	cfg.Command = []string{compileC(t, scripts["threads.c"])}
	killEverywhere(t, cfg)
}

// A thread that waits for another is not woken to ask whether its call is over: some waits end with an error then.
func TestRecord_WaitsAreNotInterrupted(t *testing.T) {
	cfg := target(t)
	cfg.Command = []string{compileC(t, `#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
int event, file;
void *other(void *arg) {
    uint64_t one = 1;
    usleep(100000); /* the first is waiting by now */
    write(file, "other\n", 6);
    write(event, &one, 8);
    return arg;
}
int main(void) {
    struct epoll_event e = {EPOLLIN};
    int set = epoll_create1(0);
    pthread_t thread;
    event = eventfd(0, 0);
    file = open("file", O_WRONLY | O_CREAT, 0644);
    epoll_ctl(set, EPOLL_CTL_ADD, event, &e);
    pthread_create(&thread, 0, other, 0);
    for (int i = 0; i < 3; i++)
        write(file, "first\n", 6);
    if (epoll_wait(set, &e, 1, 10000) != 1)
        return 1;
    pthread_join(thread, 0);
    return 0;
}`)}
	if calls := record(t, cfg).Calls; len(calls) != 5 {
		t.Errorf("%v", calls)
	}
}

// A process that is made not to be traced would be neither stopped nor ended, so a program that makes one is refused.
func TestRecord_UntracedProcesses(t *testing.T) {
	cfg := target(t)
	cfg.Command = []string{compileC(t, `#include <fcntl.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(void) {
    int file = open("file", O_WRONLY | O_CREAT, 0644);
    if (syscall(SYS_clone, 0x00800000 | 17, 0, 0, 0, 0) == 0)
        write(file, "unseen\n", 7), _exit(0);
    return 0;
}`)}
	if _, err := blackbox.Record(context.Background(), cfg); !errors.Is(err, blackbox.ErrForeignCall) {
		t.Errorf("error %v", err)
	}
}

// A 32-bit call has other numbers and would pass unseen, so a program that makes one is refused.
func TestRecord_ThirtyTwoBitCalls(t *testing.T) {
	cfg := target(t)
	cfg.Command = []string{compileC(t, `int main(void) {
    int pid;
    __asm__ volatile("int $0x80" : "=a"(pid) : "a"(20));
    return pid <= 0;
}`)}
	if err := exec.Command(cfg.Command[0]).Run(); err != nil {
		t.Skipf("this kernel takes no 32-bit calls: %v", err)
	}
	if _, err := blackbox.Record(context.Background(), cfg); !errors.Is(err, blackbox.ErrForeignCall) {
		t.Errorf("error %v", err)
	}
}
