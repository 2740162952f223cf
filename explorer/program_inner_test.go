package explorer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// innerEnv switches the tests on that TestProgram starts in a test binary of their own: most of them fail,
// as they should, and their output is what is judged.
const innerEnv = "PAYTWICE_TEST_INNER"

// fifoEnv names a FIFO that programs which hang hold open; hangTimeout is what they are given.
const (
	fifoEnv     = "PAYTWICE_TEST_FIFO"
	hangTimeout = 3 * time.Second
)

func innerOnly(t *testing.T) {
	t.Helper()
	if os.Getenv(innerEnv) == "" {
		t.Skip("started by TestProgram")
	}
}

// refund asks the provider for a refund of an order, under a key if there is one.
func refund(ctx context.Context, env *explorer.Env, order, key string) error {
	body, err := json.Marshal(map[string]any{"order": order, "amount_cents": 995})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, env.ProviderURL()+"/refunds", bytes.NewReader(body))
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := env.HTTPClient().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", resp.Status)
	}
	return nil
}

// marked and mark are the program's memory: a file that is there or not, with points around the writing.
func marked(env *explorer.Env, name string) bool {
	_, err := os.Stat(filepath.Join(env.Dir(), name))
	return err == nil
}

func mark(ctx context.Context, env *explorer.Env, name string) error {
	faults.Here(ctx, "marking")
	err := os.WriteFile(filepath.Join(env.Dir(), name), nil, 0o644)
	faults.Here(ctx, "marked")
	return err
}

// refundThenMark is the naive program, and with a key the mended one.
func refundThenMark(key string) explorer.Program {
	return explorer.Program{
		Provider: provider.ReplayAll(),
		Want:     explorer.ExactlyOnce("o-1"),
		Run: func(ctx context.Context, env *explorer.Env) error {
			if marked(env, "done") {
				return nil
			}
			if err := refund(ctx, env, "o-1", key); err != nil {
				return err
			}
			return mark(ctx, env, "done")
		},
	}
}

// with replaces the Run of the mended program.
func with(run func(ctx context.Context, env *explorer.Env) error) explorer.Program {
	p := refundThenMark("key")
	p.Run = run
	return p
}

var noKey = flag.Bool("paytwice-no-key", false, "the inner program sends no key")

var counter int // a package variable: each life begins with 0

// inner are the programs under test, by the name of the subtest.
var inner = map[string]func(t *testing.T) explorer.Program{
	"naive": func(*testing.T) explorer.Program { return refundThenMark("") },
	"keyed": func(*testing.T) explorer.Program { return refundThenMark("key") },
	// It says that it is done before it is: only a kill between the two shows that.
	"marks first": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			if marked(env, "done") {
				return nil
			}
			if err := mark(ctx, env, "done"); err != nil {
				return err
			}
			return refund(ctx, env, "o-1", "key")
		})
	},
	// If a variable or a deferred function survived a kill, this would lose or double.
	"nothing survives": func(*testing.T) explorer.Program {
		return with(forgetful)
	},
	"survivor": func(*testing.T) explorer.Program { // what "nothing survives" would look like if one did
		return with(func(ctx context.Context, env *explorer.Env) error {
			_ = os.WriteFile(filepath.Join(env.Dir(), "deferred"), nil, 0o644)
			return forgetful(ctx, env)
		})
	},
	// A recovery that finds a half-done refund waits for ever, with a process of its own beside it.
	"hangs": func(*testing.T) explorer.Program {
		p := with(func(ctx context.Context, env *explorer.Env) error {
			if marked(env, "begun") {
				return hang()
			}
			if err := mark(ctx, env, "begun"); err != nil {
				return err
			}
			return refund(ctx, env, "o-1", "key")
		})
		p.Timeout, p.Crashes = hangTimeout, 1
		return p
	},
	"hangs at once": func(*testing.T) explorer.Program {
		p := with(func(context.Context, *explorer.Env) error { return hang() })
		p.Timeout = hangTimeout
		return p
	},
	"hangs for long": func(*testing.T) explorer.Program {
		p := with(func(context.Context, *explorer.Env) error { return hang() })
		p.Timeout = 10 * time.Minute
		return p
	},
	"never ends": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			if marked(env, "begun") {
				return errors.New("somebody began already")
			}
			if err := mark(ctx, env, "begun"); err != nil {
				return err
			}
			return refund(ctx, env, "o-1", "key")
		})
	},
	"no point": func(*testing.T) explorer.Program {
		return explorer.Program{Run: func(context.Context, *explorer.Env) error { return nil }}
	},
	"exits": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			if err := refund(ctx, env, "o-1", "key"); err != nil {
				return err
			}
			os.Exit(0)
			return nil
		})
	},
	// The second life ends by itself before its point: the plan can't be carried out.
	"exits when told": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			faults.Here(ctx, "first")
			if faults.Armed(ctx).Life().String() == "kill point.second/before#1" {
				os.Exit(0)
			}
			faults.Here(ctx, "second")
			return refund(ctx, env, "o-1", "key")
		})
	},
	"fatal in run": func(t *testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			if err := refund(ctx, env, "o-1", "key"); err != nil {
				return err
			}
			t.Fatal("not this way")
			return nil
		})
	},
	"error in run": func(t *testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			defer t.Error("the balance is wrong")
			return refund(ctx, env, "o-1", "key")
		})
	},
	"error in the test around": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			around.Error("said outside")
			return refund(ctx, env, "o-1", "key")
		})
	},
	"fail without a word": func(t *testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			t.Fail()
			return refund(ctx, env, "o-1", "key")
		})
	},
	// There is no provider: Run itself judges.
	"error in a recovery": func(t *testing.T) explorer.Program {
		return again(func(context.Context, *explorer.Env) error {
			t.Log("it has")
			fmt.Print("no end of line")
			t.Errorf("%d rows", 2)
			t.Log("a second\nline")
			return nil
		})
	},
	// The next recovery is content, so it is found only if this one is heard.
	"error in one recovery, captured": func(t *testing.T) explorer.Program {
		if os.Getenv(child.Env) != "" {
			os.Stdout, _ = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		}
		return again(func(_ context.Context, env *explorer.Env) error {
			if !marked(env, "told") {
				_ = os.WriteFile(filepath.Join(env.Dir(), "told"), nil, 0o644)
				t.Error("half an order")
			}
			return nil
		})
	},
	"errors like the harness's own": func(t *testing.T) explorer.Program {
		return again(func(_ context.Context, env *explorer.Env) error {
			for _, name := range []string{"failed: ", "misuse: "} {
				if !marked(env, name) {
					_ = os.WriteFile(filepath.Join(env.Dir(), name), nil, 0o644)
					return errors.New(name + "no connection")
				}
			}
			return nil
		})
	},
	"error after much": func(t *testing.T) explorer.Program {
		return again(func(_ context.Context, env *explorer.Env) error {
			for i := range 100 {
				t.Log("step", i)
			}
			fmt.Print(strings.Repeat("much ", 1000))
			t.Error("the reason")
			return nil
		})
	},
	"fatal in a recovery": func(t *testing.T) explorer.Program {
		return again(func(context.Context, *explorer.Env) error {
			t.Fatal("begun already")
			return nil
		})
	},
	"error and panic in a recovery": func(t *testing.T) explorer.Program {
		return again(func(_ context.Context, env *explorer.Env) error {
			if !marked(env, "panicked") {
				_ = os.WriteFile(filepath.Join(env.Dir(), "panicked"), nil, 0o644)
				t.Error("begun already")
				panic("and out")
			}
			return nil
		})
	},
	// No life that is not killed says anything.
	"error before a kill only": func(t *testing.T) explorer.Program {
		return explorer.Program{Crashes: 1, Run: func(ctx context.Context, env *explorer.Env) error {
			if life := faults.Armed(ctx).Life(); life.String() == "kill point.marked/before#1" {
				t.Error("killed soon")
			}
			return mark(ctx, env, "done")
		}}
	},
	"error when run twice": func(t *testing.T) explorer.Program {
		return explorer.Program{Run: func(ctx context.Context, env *explorer.Env) error {
			if marked(env, "done") {
				t.Error("done already")
			}
			faults.Here(ctx, "begun")
			return os.WriteFile(filepath.Join(env.Dir(), "done"), nil, 0o644)
		}}
	},
	// Once it has finished, which no point shows, each start does something else.
	"refuses to run twice": func(*testing.T) explorer.Program {
		return finished(func(context.Context, *explorer.Env) error { return errors.New("finished already") })
	},
	"stumbles when run twice": func(*testing.T) explorer.Program {
		return finished(func(_ context.Context, env *explorer.Env) error {
			if marked(env, "stumbled") {
				return nil
			}
			return errors.Join(errors.New("not yet"), os.WriteFile(filepath.Join(env.Dir(), "stumbled"), nil, 0o644))
		})
	},
	"leaves a goroutine when run twice": func(*testing.T) explorer.Program {
		return finished(func(context.Context, *explorer.Env) error { go func() { <-make(chan int) }(); return nil })
	},
	"races when run twice": func(*testing.T) explorer.Program {
		return finished(func(context.Context, *explorer.Env) error { race(); return nil })
	},
	"hangs when run twice": func(*testing.T) explorer.Program {
		p := finished(func(context.Context, *explorer.Env) error { return hang() })
		p.Timeout = hangTimeout
		return p
	},
	"logs in run": func(t *testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			t.Log("nothing is wrong")
			return refund(ctx, env, "o-1", "key")
		})
	},
	"skips in run": func(t *testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			t.Skip("nothing to do")
			return refund(ctx, env, "o-1", "key")
		})
	},
	"ends its goroutine": func(*testing.T) explorer.Program {
		return with(func(context.Context, *explorer.Env) error { runtime.Goexit(); return nil })
	},
	"panics": func(*testing.T) explorer.Program {
		return with(func(context.Context, *explorer.Env) error { panic("out of paper") })
	},
	// Its two points come in either order.
	"any order, not said": func(*testing.T) explorer.Program { return eitherOrder(false) },
	"any order":           func(*testing.T) explorer.Program { return eitherOrder(true) },
	"leaves a goroutine": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			go func() { <-make(chan int) }()
			return refund(ctx, env, "o-1", "key")
		})
	},
	"leaves a request": func(*testing.T) explorer.Program {
		return leaving(func(ctx context.Context, env *explorer.Env) { go func() { _, _ = http.Get(silent()) }() })
	},
	"leaves what has not begun": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			faults.Here(ctx, "begun")
			go refund(ctx, env, "o-1", "key")
			return nil
		})
	},
	"leaves a server": func(*testing.T) explorer.Program {
		return leaving(func(context.Context, *explorer.Env) { go func() { _ = http.Serve(listener(), nil) }() })
	},
	"leaves a server's own goroutine": func(*testing.T) explorer.Program {
		return leaving(func(context.Context, *explorer.Env) { l := listener(); go http.Serve(l, nil) })
	},
	"leaves a reader": func(*testing.T) explorer.Program {
		return leaving(func(context.Context, *explorer.Env) {
			if c, err := net.Dial("tcp", listener().Addr().String()); err == nil {
				go io.ReadAll(c)
			}
		})
	},
	// What a real exit would cut off: it asks for the refund after Run returned.
	"asks too late": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			faults.Here(ctx, "begun")
			go func() {
				time.Sleep(time.Minute)
				_ = refund(ctx, env, "o-1", "key")
			}()
			return nil
		})
	},
	"passes a point too late": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			if err := refund(ctx, env, "o-1", "key"); err != nil {
				return err
			}
			var began sync.WaitGroup
			began.Add(1)
			go func() { // it is never seen to wait for anything
				began.Done()
				for range 200 {
					runtime.Gosched()
				}
				faults.Here(ctx, "late")
			}()
			began.Wait()
			return nil
		})
	},
	// These are kept, or are on their way out.
	"leaves what may stay": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			signals := make(chan os.Signal, 1)
			signal.Notify(signals, os.Interrupt)
			defer signal.Stop(signals)
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			var one sync.Mutex
			for range 20 {
				go func() { <-ctx.Done(); one.Lock(); defer one.Unlock(); runtime.Gosched() }()
			}
			server := httptest.NewServer(http.NotFoundHandler())
			defer server.Close()
			if _, err := http.Get(server.URL); err != nil { // its body stays open, and with it the connection
				return err
			}
			return refund(ctx, env, "o-1", "key")
		})
	},
	"leaves an orphan": func(*testing.T) explorer.Program {
		return leaving(func(context.Context, *explorer.Env) {
			_ = exec.Command("sh", "-c", "sleep 600 >/dev/null 2>&1 &").Run()
		})
	},
	"leaves a daemon": func(*testing.T) explorer.Program {
		return leaving(func(context.Context, *explorer.Env) {
			cmd := exec.Command("sh", "-c", "setsid sleep 600 2>&1 &")
			if f, err := os.OpenFile(os.Getenv(fifoEnv), os.O_WRONLY, 0); err == nil {
				cmd.Stdout = f
			}
			_ = cmd.Run()
		})
	},
	// Its orphan has ended before Run returns.
	"outlives an orphan": func(*testing.T) explorer.Program {
		return leaving(func(_ context.Context, env *explorer.Env) {
			r, w, err := os.Pipe()
			if err != nil {
				return
			}
			cmd := exec.Command("sh", "-c", "(exec true) &")
			cmd.Stdout = w
			_ = cmd.Run()
			_ = w.Close()
			_, _ = io.ReadAll(r) // until nobody holds it any more
		})
	},
	// Only a kill leaves its daemon behind.
	"is killed beside a daemon": func(*testing.T) explorer.Program {
		return killedBeside(func(*explorer.Env) (*os.File, error) {
			f, err := os.OpenFile(os.Getenv(fifoEnv), os.O_WRONLY, 0)
			if err == nil {
				_, _ = f.WriteString("x")
			}
			return f, err
		})
	},
	// The daemon that a kill leaves behind holds a request that never becomes whole.
	"is killed beside half a request": func(*testing.T) explorer.Program {
		return killedBeside(func(env *explorer.Env) (*os.File, error) { return halfRequest(env.ProviderURL()) })
	},
	"leaves a process": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			if err := holder().Start(); err != nil {
				return err
			}
			return refund(ctx, env, "o-1", "key")
		})
	},
	"no provider": func(*testing.T) explorer.Program {
		return explorer.Program{Run: func(ctx context.Context, env *explorer.Env) error {
			_ = refund(ctx, env, "o-1", "")
			return nil
		}}
	},
	"no provider, only asked": func(*testing.T) explorer.Program {
		return explorer.Program{Run: func(ctx context.Context, env *explorer.Env) error {
			if env.ProviderURL() != "" {
				return errors.New("there is one")
			}
			return mark(ctx, env, "done")
		}}
	},
	"no call": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, _ *explorer.Env) error { faults.Here(ctx, "a"); return nil })
	},
	"want can't miss": func(*testing.T) explorer.Program {
		p := refundThenMark("key")
		p.Want = func(effects []history.Effect) []history.Violation {
			if len(effects) > 1 {
				return []history.Violation{{Invariant: "double-write", Detail: "two"}}
			}
			return nil
		}
		return p
	},
	"want can't count": func(*testing.T) explorer.Program {
		p := refundThenMark("key")
		p.Want = func(effects []history.Effect) []history.Violation {
			if len(effects) == 0 {
				return []history.Violation{{Invariant: "lost-write", Detail: "none"}}
			}
			return nil
		}
		return p
	},
	"want is wrong": func(*testing.T) explorer.Program {
		p := refundThenMark("key")
		p.Want = explorer.ExactlyOnce("o-2")
		return p
	},
	"want says nothing": func(*testing.T) explorer.Program {
		p := refundThenMark("")
		p.Want = func(effects []history.Effect) []history.Violation {
			if len(effects) != 1 {
				return []history.Violation{{}}
			}
			return nil
		}
		return p
	},
	"want counts records": func(*testing.T) explorer.Program {
		p := refundThenMark("key")
		p.Want = func(effects []history.Effect) []history.Violation {
			records := map[string]bool{}
			for _, e := range effects {
				records[e.RecordID] = true
			}
			if len(records) != 1 {
				return []history.Violation{{Detail: fmt.Sprint(len(records), " records")}}
			}
			return nil
		}
		return p
	},
	"want keeps count": func(*testing.T) explorer.Program {
		p, judged := refundThenMark("key"), map[int]int{}
		want := p.Want
		p.Want = func(effects []history.Effect) []history.Violation {
			judged[len(effects)]++
			return want(effects)
		}
		return p
	},
	"nobody judges": func(*testing.T) explorer.Program {
		p := refundThenMark("")
		p.Want = nil
		return p
	},
	// It gets on by one step in each life, and needs more of them than are usual.
	"gets on slowly":   func(*testing.T) explorer.Program { return slowly(0) },
	"gets on, and may": func(*testing.T) explorer.Program { return slowly(12) },
	"own name": func(*testing.T) explorer.Program {
		p := refundThenMark("")
		p.Want = func(effects []history.Effect) []history.Violation {
			if len(effects) != 1 {
				return []history.Violation{{Invariant: "our-own-rule", Detail: fmt.Sprint(len(effects), " refunds")}}
			}
			return nil
		}
		return p
	},
	// Wrong whenever it runs twice; and wrong when it runs twice although no kill shows it, since nothing can
	// be killed after its last step.
	"runs twice": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error { return refund(ctx, env, "o-1", "") })
	},
	"only twice":               func(*testing.T) explorer.Program { return onlyTwice(false) },
	"only twice, and never is": func(*testing.T) explorer.Program { return onlyTwice(true) },
	"race": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			race()
			return refund(ctx, env, "o-1", "key")
		})
	},
	"race, and talks": func(*testing.T) explorer.Program {
		return leaving(func(context.Context, *explorer.Env) {
			fmt.Fprintln(os.Stderr, "WARNING: DATA RACE") // as the detector says it
			fmt.Fprint(os.Stderr, strings.Repeat(strings.Repeat("x", 99)+"\n", 400))
		})
	},
	// Its requests are under way together: a kill leaves some of them behind at the provider.
	"asks beside each other": func(*testing.T) explorer.Program {
		p := with(func(ctx context.Context, env *explorer.Env) error {
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() { _ = refund(ctx, env, "o-1", "key") })
			}
			wg.Wait()
			return nil
		})
		p.AnyOrder = true
		return p
	},
	"at once, naive": func(*testing.T) explorer.Program { return atOnce("") },
	"at once, keyed": func(*testing.T) explorer.Program { return atOnce("key") },
	"at once, by process": func(*testing.T) explorer.Program {
		p := with(func(ctx context.Context, env *explorer.Env) error {
			return refund(ctx, env, "o-1", "key-"+strconv.Itoa(env.Process()))
		})
		p.AtOnce, p.Crashes = 3, 1
		return p
	},
	// These two say "asked" before they ask, and take that for done: the one in the target of a link, the other
	// in the mode of a file. Neither changes the content of any file.
	"marks in a link": func(*testing.T) explorer.Program {
		return askedIsDone(func(path string) string { target, _ := os.Readlink(path); return target }, func(path, what string) error {
			if err := os.Symlink(what, path+".new"); err != nil && !errors.Is(err, os.ErrExist) {
				return err
			}
			return os.Rename(path+".new", path)
		})
	},
	"marks in a mode": func(*testing.T) explorer.Program {
		modes := map[string]os.FileMode{"todo": 0o600, "asked": 0o640, "done": 0o644}
		return askedIsDone(func(path string) string {
			info, err := os.Stat(path)
			for what, mode := range modes {
				if err == nil && info.Mode() == mode {
					return what
				}
			}
			return ""
		}, func(path, what string) error {
			f, err := os.OpenFile(path, os.O_CREATE, 0o600)
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), os.Chmod(path, modes[what]))
		})
	},
	"marks in a time": func(*testing.T) explorer.Program {
		return marksInTime(func(n int64) time.Time { return time.Unix(1000*n, 0) })
	},
	"marks in a time to come": func(*testing.T) explorer.Program {
		return marksInTime(func(n int64) time.Time {
			if n == 1 {
				return time.Now().Add(time.Hour)
			}
			return time.Unix(1000*n, 0)
		})
	},
	// A socket stays behind where it is killed, and a secret must stay one.
	"keeps a socket": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			secret, socket := filepath.Join(env.Dir(), "secret"), filepath.Join(env.Dir(), "socket")
			if info, err := os.Stat(secret); err == nil && info.Mode() != 0o600 {
				return fmt.Errorf("everybody may read the secret: %s", info.Mode())
			}
			if err := errors.Join(os.WriteFile(secret, nil, 0o600), os.RemoveAll(socket)); err != nil {
				return err
			}
			l, err := net.Listen("unix", socket)
			if err != nil {
				return err
			}
			defer l.Close()
			return refund(ctx, env, "o-1", "key")
		})
	},
	// A key is known for a day.
	"back the next hour": func(*testing.T) explorer.Program { return away(refundThenMark("key"), time.Hour) },
	"back after the key": func(*testing.T) explorer.Program { return away(refundThenMark("key"), 25*time.Hour) },
	"knows how long it was away": func(*testing.T) explorer.Program {
		return away(with(func(ctx context.Context, env *explorer.Env) error {
			path := filepath.Join(env.Dir(), "asked")
			asked, err := os.ReadFile(path)
			if first, parsed := time.Parse(time.RFC3339, string(asked)); err == nil && parsed == nil && env.Now().Sub(first) > 24*time.Hour {
				if known, err := refunded(ctx, env); known || err != nil {
					return err
				}
			}
			if err := os.WriteFile(path, []byte(env.Now().Format(time.RFC3339)), 0o644); err != nil {
				return err
			}
			return refund(ctx, env, "o-1", "key")
		}), 25*time.Hour)
	},
	// The look-up shows a refund five seconds later.
	"asks at once":       func(*testing.T) explorer.Program { return away(asking(0), 0) },
	"asks after a while": func(*testing.T) explorer.Program { return away(asking(0), 6*time.Second) },
	"waits and asks":     func(*testing.T) explorer.Program { return away(asking(2500*time.Millisecond), 0) },
	// It reads a file and the environment, and others only when it starts again.
	"reads": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			key, _ := os.ReadFile("../explorer/testdata/first-read")
			if marked(env, "begun") {
				_, _ = os.Stat("testdata/stat-again")
				_ = os.Getenv("PAYTWICE_TEST_AGAIN")
				_, _ = os.ReadDir("testdata")
			}
			if err := mark(ctx, env, "begun"); err != nil {
				return err
			}
			return refund(ctx, env, "o-1", "key"+string(key))
		})
	},
	// The parent's own flags steer it.
	"flags": func(*testing.T) explorer.Program {
		return with(func(ctx context.Context, env *explorer.Env) error {
			key := "key"
			if testing.Short() || *noKey {
				key = ""
			}
			return refund(ctx, env, "o-1", key)
		})
	},
	"bound": func(*testing.T) explorer.Program {
		p := refundThenMark("key")
		p.MaxRuns = 3
		return p
	},
	"without run": func(*testing.T) explorer.Program { return explorer.Program{} },
	"negative":    func(*testing.T) explorer.Program { p := refundThenMark(""); p.AtOnce = -1; return p },
}

func race() {
	n, wg := 0, sync.WaitGroup{}
	for range 2 {
		wg.Go(func() { n++ })
	}
	wg.Wait()
}

// finished is the mended program, with a note that it has finished, and what it does when it finds that.
func finished(then func(ctx context.Context, env *explorer.Env) error) explorer.Program {
	return with(func(ctx context.Context, env *explorer.Env) error {
		if marked(env, "finished") {
			return then(ctx, env)
		}
		if err := refund(ctx, env, "o-1", "key"); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(env.Dir(), "finished"), nil, 0o644)
	})
}

// marksInTime takes a file's time for what it has done: not long ago, the first, or the second.
func marksInTime(at func(n int64) time.Time) explorer.Program {
	marks := []string{"todo", "asked", "done"}
	return askedIsDone(func(path string) string {
		info, err := os.Stat(path)
		for i, what := range marks[1:] {
			if err == nil && info.ModTime().Sub(at(int64(i+1))).Abs() < time.Minute {
				return what
			}
		}
		if err == nil {
			return "todo"
		}
		return ""
	}, func(path, what string) error {
		if what == "todo" {
			return os.WriteFile(path, nil, 0o600)
		}
		t := at(int64(slices.Index(marks, what)))
		return os.Chtimes(path, t, t)
	})
}

// again is a program of one mark, without a provider, that does something else in its recoveries.
func again(recover func(ctx context.Context, env *explorer.Env) error) explorer.Program {
	return explorer.Program{Run: func(ctx context.Context, env *explorer.Env) error {
		if marked(env, "begun") {
			return recover(ctx, env)
		}
		return mark(ctx, env, "begun")
	}}
}

// killedBeside is the mended program with a daemon beside it, which holds a file and which the program ends: only a
// kill leaves it behind.
func killedBeside(hold func(env *explorer.Env) (*os.File, error)) explorer.Program {
	p := with(func(ctx context.Context, env *explorer.Env) error {
		f, err := hold(env)
		if err != nil {
			return err
		}
		daemon, err := startDaemon(f)
		if err != nil {
			return err
		}
		faults.Here(ctx, "started")
		_, _ = daemon.Process.Kill(), daemon.Wait()
		return refund(ctx, env, "o-1", "key")
	})
	p.Crashes = 1
	return p
}

// around is the test around the inner ones.
var around *testing.T

// leaving is the mended program, with something that it starts and leaves.
func leaving(leave func(ctx context.Context, env *explorer.Env)) explorer.Program {
	return with(func(ctx context.Context, env *explorer.Env) error {
		leave(ctx, env)
		return refund(ctx, env, "o-1", "key")
	})
}

func onlyTwice(runsOnce bool) explorer.Program {
	p := with(func(ctx context.Context, env *explorer.Env) error {
		if err := refund(ctx, env, "o-1", generation(env)); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(env.Dir(), "generation"), []byte("x"), 0o644)
	})
	p.RunsOnce = runsOnce
	return p
}

func slowly(maxLives int) explorer.Program {
	p := with(func(ctx context.Context, env *explorer.Env) error {
		if !marked(env, "begun") {
			if err := mark(ctx, env, "begun"); err != nil {
				return err
			}
			return refund(ctx, env, "o-1", "key")
		}
		for i := range 9 {
			if name := strconv.Itoa(i); !marked(env, name) {
				return errors.Join(errors.New("not yet"), os.WriteFile(filepath.Join(env.Dir(), name), nil, 0o644))
			}
		}
		return refund(ctx, env, "o-1", "key")
	})
	p.Crashes, p.MaxLives = 1, maxLives
	return p
}

func away(p explorer.Program, d time.Duration) explorer.Program {
	p.Downtime = d
	return p
}

// asking has no keys: once it was killed it waits, and asks whether the refund was made.
func asking(wait time.Duration) explorer.Program {
	p := with(func(ctx context.Context, env *explorer.Env) error {
		if marked(env, "asked") {
			time.Sleep(wait)
			if known, err := refunded(ctx, env); known || err != nil {
				return err
			}
		}
		if err := mark(ctx, env, "asked"); err != nil {
			return err
		}
		return refund(ctx, env, "o-1", "")
	})
	p.Provider, p.Crashes = provider.NoKey(), 1
	if wait > 0 {
		p.Provider.Lag = time.Second
	}
	return p
}

// refunded asks the provider whether the refund was made.
func refunded(ctx context.Context, env *explorer.Env) (bool, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, env.ProviderURL()+"/changes?order=o-1", nil)
	if err != nil {
		return false, err
	}
	resp, err := env.HTTPClient().Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	var found struct{ Changes []any }
	err = json.NewDecoder(resp.Body).Decode(&found)
	return len(found.Changes) > 0, err
}

// listener is one that never accepts.
func listener() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return l
}

// silent is the address of a server that never answers.
func silent() string { return "http://" + listener().Addr().String() }

// askedIsDone is a program that loses the refund when it is killed after it has noted that it is about to ask.
func askedIsDone(read func(path string) string, write func(path, what string) error) explorer.Program {
	return with(func(ctx context.Context, env *explorer.Env) error {
		path := filepath.Join(env.Dir(), "status")
		set := func(what string) error {
			err := write(path, what)
			faults.Here(ctx, what)
			return err
		}
		switch read(path) {
		case "":
			if err := set("todo"); err != nil {
				return err
			}
		case "asked":
			return set("done")
		case "done":
			return nil
		}
		return errors.Join(set("asked"), refund(ctx, env, "o-1", "key"), set("done"))
	})
}

func forgetful(ctx context.Context, env *explorer.Env) error {
	counter++
	if counter != 1 {
		return fmt.Errorf("the package variable survived: %d", counter)
	}
	left := filepath.Join(env.Dir(), "deferred")
	if _, err := os.Stat(left); err == nil && !marked(env, "done") {
		return errors.New("a deferred function ran although the process was killed")
	}
	defer func() { _ = os.WriteFile(left, nil, 0o644) }()
	return refundThenMark("key").Run(ctx, env)
}

func atOnce(key string) explorer.Program {
	p := refundThenMark(key)
	p.AtOnce, p.Crashes = 2, 1
	return p
}

func generation(env *explorer.Env) string {
	data, _ := os.ReadFile(filepath.Join(env.Dir(), "generation"))
	return "key" + string(data)
}

func eitherOrder(said bool) explorer.Program {
	p := with(func(ctx context.Context, env *explorer.Env) error {
		names := []string{"left", "right", "up", "down", "in", "out"}
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			faults.Here(ctx, name)
		}
		return refund(ctx, env, "o-1", "key")
	})
	p.AnyOrder, p.Crashes = said, 1
	return p
}

// holder is a process that stays until it is ended; it holds standard error, the FIFO of a test, open.
func holder() *exec.Cmd {
	cmd := exec.Command("sleep", "600")
	cmd.Stderr = os.Stderr
	return cmd
}

// startDaemon starts a process in a session of its own, which holds a file open until it is ended.
func startDaemon(holds *os.File) (*exec.Cmd, error) {
	defer holds.Close()
	cmd := exec.Command("setsid", "sh", "-c", "echo there; exec sleep 600 >&2")
	cmd.ExtraFiles = []*os.File{holds}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = io.ReadAll(out) // until it has left the group
	}
	return cmd, err
}

// halfRequest begins a request to the provider and returns its connection.
func halfRequest(address string) (*os.File, error) {
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := io.WriteString(c, "POST /refunds HTTP/1.1\r\nHost: provider\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"); err != nil {
		return nil, err
	}
	if _, err := c.Read(make([]byte, 100)); err != nil { // the provider asks for the rest
		return nil, err
	}
	return c.(*net.TCPConn).File()
}

// hang starts a process, tells the FIFO of the test that both are there, and stays.
func hang() error {
	cmd := holder()
	if name := os.Getenv(fifoEnv); name != "" {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.WriteString("x"); err != nil {
			return err
		}
		cmd.ExtraFiles = []*os.File{f}
	}
	if err := cmd.Run(); err != nil {
		return err
	}
	return errors.New("the other process ended")
}

// TestInner runs each program as a test of its own.
func TestInner(t *testing.T) {
	innerOnly(t)
	around = t
	for _, name := range slices.Sorted(maps.Keys(inner)) {
		program := inner[name]
		t.Run(name, func(t *testing.T) { explorer.Test(t, program(t)) })
	}
}

// TestInnerFind asserts on what is found, twice in one test function.
func TestInnerFind(t *testing.T) {
	innerOnly(t)
	t.Parallel()
	if got := explorer.Find(t, refundThenMark("key")); len(got) != 0 {
		t.Errorf("found %v", got)
	}
	got := explorer.Find(t, refundThenMark(""))
	if len(got) == 1 {
		fmt.Println("FOUND", got[0].Invariant, got[0].Plan)
	}
}

func TestInnerFatalBefore(t *testing.T) {
	innerOnly(t)
	if os.Getenv(child.Env) != "" {
		t.Fatal("the set-up needs a thing that is not there")
	}
	explorer.Test(t, refundThenMark("key"))
}

func TestInnerSkipBefore(t *testing.T) {
	innerOnly(t)
	if os.Getenv(child.Env) != "" {
		t.Skip("not in a child")
	}
	explorer.Test(t, refundThenMark("key"))
}

func TestInnerExitBefore(t *testing.T) {
	innerOnly(t)
	if os.Getenv(child.Env) != "" {
		fmt.Println("out of here")
		os.Exit(7)
	}
	explorer.Test(t, refundThenMark("key"))
}

func TestInnerChdirBefore(t *testing.T) {
	innerOnly(t)
	t.Chdir("testdata")
	explorer.Test(t, with(func(ctx context.Context, env *explorer.Env) error {
		if _, err := os.ReadDir("outside"); err != nil {
			return err
		}
		return refund(ctx, env, "o-1", "key")
	}))
}

// helper starts a process that stays as long as the test, and one that has ended and nobody has waited for.
func helper(t *testing.T) (ended *exec.Cmd) {
	stays := exec.Command("sleep", "600")
	ended = exec.Command("true")
	out, err := ended.StdoutPipe()
	if err := errors.Join(err, stays.Start(), ended.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stays.Process.Kill(); _ = stays.Wait(); _ = ended.Wait() })
	_, _ = out.Read(make([]byte, 1)) // until it has closed its end
	return ended
}

func TestInnerHelperBefore(t *testing.T) {
	innerOnly(t)
	ended := helper(t)
	explorer.Test(t, with(func(ctx context.Context, env *explorer.Env) error {
		if err := ended.Wait(); err != nil {
			return err
		}
		return refund(ctx, env, "o-1", "key")
	}))
}

func TestInnerHelperBeforeAndLeft(t *testing.T) {
	innerOnly(t)
	helper(t)
	explorer.Test(t, inner["leaves a process"](t))
}

func TestInnerTempDirBefore(t *testing.T) {
	innerOnly(t)
	if err := os.WriteFile(filepath.Join(t.TempDir(), "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	explorer.Test(t, refundThenMark("key"))
}

func TestInnerFailedBefore(t *testing.T) {
	innerOnly(t)
	findNaive(t)
	explorer.Test(t, refundThenMark("key"))
}

func TestInnerFailedBeforeAndInRun(t *testing.T) {
	innerOnly(t)
	findNaive(t)
	explorer.Test(t, with(func(ctx context.Context, env *explorer.Env) error {
		t.Error("it may be wrong")
		return refund(ctx, env, "o-1", "key")
	}))
}

// findNaive asserts on what is found, which is nothing on the way to a later call.
func findNaive(t *testing.T) {
	t.Helper()
	if found := explorer.Find(t, refundThenMark("")); len(found) != 1 {
		t.Errorf("found %v", found)
	}
}

// TestInnerLeaves and TestInnerLeavesNothing are no subtests, so that nothing else runs in their children.
func TestInnerLeaves(t *testing.T) {
	innerOnly(t)
	explorer.Test(t, inner["leaves a reader"](t))
}

func TestInnerLeavesNothing(t *testing.T) {
	innerOnly(t)
	explorer.Test(t, inner["leaves what may stay"](t))
}

// TestInnerDaemonBefore starts a daemon in each child before it comes to its call, and nobody ends it.
func TestInnerDaemonBefore(t *testing.T) {
	innerOnly(t)
	if os.Getenv(child.Env) != "" {
		if err := exec.Command("sh", "-c", `setsid sh -c "echo x; exec sleep 600" >"$`+fifoEnv+`" &`).Run(); err != nil {
			t.Fatal(err)
		}
	}
	explorer.Test(t, refundThenMark("key"))
}

// TestInnerHelper has a process of its own beside the call, which is there until the test itself ends it.
func TestInnerHelper(t *testing.T) {
	innerOnly(t)
	if os.Getenv(child.Env) == "" {
		helper := exec.Command("cat")
		stop, err := helper.StdinPipe()
		if err == nil {
			err = helper.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = stop.Close()
			if err := helper.Wait(); err != nil {
				t.Errorf("the helper was ended: %v", err)
			}
		})
	}
	explorer.Test(t, refundThenMark("key"))
}

// TestInnerAddress is a program without a provider.
func TestInnerAddress(t *testing.T) {
	innerOnly(t)
	explorer.Test(t, explorer.Program{AtOnce: 2, Crashes: 1, Run: func(ctx context.Context, env *explorer.Env) error {
		if env.ProviderURL() != "" {
			return errors.New("there is a provider at " + env.ProviderURL())
		}
		return mark(ctx, env, "done")
	}})
}

// TestInnerName has a name that a shell would read in its own way.
func TestInnerName(t *testing.T) {
	innerOnly(t)
	t.Run("it's; $(touch pwned)", func(t *testing.T) { explorer.Test(t, refundThenMark("")) })
}

// TestInnerSubtests has a call in the parent and in parallel subtests, two of them of one name.
func TestInnerSubtests(t *testing.T) {
	innerOnly(t)
	explorer.Test(t, refundThenMark("key"))
	for range 2 {
		t.Run("a (b)/c", func(t *testing.T) {
			t.Parallel()
			explorer.Test(t, refundThenMark("key"))
		})
	}
	t.Run("naive", func(t *testing.T) {
		t.Parallel()
		explorer.Test(t, refundThenMark(""))
	})
}

func BenchmarkInner(b *testing.B) {
	if os.Getenv(innerEnv) == "" {
		b.Skip("started by TestProgram")
	}
	explorer.Test(b, refundThenMark("key"))
}
