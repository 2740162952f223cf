package explorer_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/paytwice/paytwice/explorer"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/provider"
)

// Programs whose failures are read for what they tell.
func init() {
	inner["a new key each time"] = newKeys
	inner["talks"] = func(t *testing.T) explorer.Program {
		return talking(t, func(ctx context.Context, env *explorer.Env) error { return refundThenMark("key").Run(ctx, env) })
	}
	inner["talks and gives up"] = func(t *testing.T) explorer.Program {
		return talking(t, func(context.Context, *explorer.Env) error { return errors.New("no table refunds") })
	}
	inner["talks and hangs"] = func(t *testing.T) explorer.Program {
		p := talking(t, func(context.Context, *explorer.Env) error { return hang() })
		p.Timeout = hangTimeout
		return p
	}
	inner["talks and panics"] = func(t *testing.T) explorer.Program {
		return talking(t, func(context.Context, *explorer.Env) error {
			var shop struct{ paid map[string]bool }
			shop.paid["o-1"] = true
			return nil
		})
	}
	inner["talks and panics elsewhere"] = func(t *testing.T) explorer.Program {
		return talking(t, func(context.Context, *explorer.Env) error {
			go func() { var none *explorer.Env; none.Dir() }()
			select {}
		})
	}
	inner["talks and exits"] = func(t *testing.T) explorer.Program {
		return talking(t, func(context.Context, *explorer.Env) error { os.Exit(3); return nil })
	}
	inner["talks and is ended"] = func(t *testing.T) explorer.Program {
		return talking(t, func(context.Context, *explorer.Env) error {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(syscall.SIGTERM)
			}
			if err != nil {
				return err
			}
			select {}
		})
	}
	// These keep what they have done where the next run finds it: of the first two the second run does less.
	inner["keeps it elsewhere"] = func(*testing.T) explorer.Program { return elsewhere(false, false) }
	inner["keeps it elsewhere, any order"] = func(*testing.T) explorer.Program { return elsewhere(true, false) }
	inner["finds it done elsewhere"] = func(*testing.T) explorer.Program { return elsewhere(false, true) }
	inner["a key that nobody knows"] = func(*testing.T) explorer.Program {
		p := refundThenMark("key")
		p.Provider = provider.NoKey()
		return p
	}
	inner["looks up its key at once"] = lookingUp
	inner["panics in a recovery"] = func(*testing.T) explorer.Program {
		return again(func(context.Context, *explorer.Env) error { panic("begun already") })
	}
}

// newKeys pays three orders back, one after the other, and names each attempt anew.
func newKeys(*testing.T) explorer.Program {
	orders := []string{"o-1", "o-2", "o-3"}
	p := with(func(ctx context.Context, env *explorer.Env) error {
		for _, order := range orders {
			if marked(env, order) {
				continue
			}
			if err := refund(ctx, env, order, fmt.Sprintf("key-%d", rand.Uint64())); err != nil {
				return err
			}
			if err := mark(ctx, env, order); err != nil {
				return err
			}
		}
		return nil
	})
	p.Want, p.Crashes = explorer.ExactlyOnce(orders...), 1
	return p
}

// talking is the mended program, which says in each way that there is what it is about, and then does something.
func talking(t *testing.T, then func(context.Context, *explorer.Env) error) explorer.Program {
	return with(func(ctx context.Context, env *explorer.Env) error {
		fmt.Println("said to standard output")
		log.SetFlags(0)
		log.Print("said to the log")
		t.Log("said to the test")
		fmt.Print("no end of line")
		return then(ctx, env)
	})
}

// elsewhere is the mended program, with its memory in one folder for all runs, and done perhaps before the first.
func elsewhere(anyOrder, done bool) explorer.Program {
	p := with(func(ctx context.Context, env *explorer.Env) error {
		faults.Here(ctx, "begun")
		path := os.Getenv(elsewhereEnv)
		if _, err := os.Stat(path); done || err == nil {
			return nil
		}
		return errors.Join(refund(ctx, env, "o-1", "key"), os.WriteFile(path, nil, 0o644))
	})
	p.AnyOrder = anyOrder
	return p
}

// elsewhereEnv names the file in which elsewhere keeps that it has done.
const elsewhereEnv = "PAYTWICE_TEST_ELSEWHERE"

// lookingUp sends again what a lagging look-up does not show yet.
func lookingUp(*testing.T) explorer.Program {
	p := with(func(ctx context.Context, env *explorer.Env) error {
		if marked(env, "asked") {
			resp, err := env.HTTPClient().Get(env.ProviderURL() + "/operations/key")
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		return errors.Join(mark(ctx, env, "asked"), refund(ctx, env, "o-1", "key"))
	})
	p.Provider, p.Crashes = provider.NoKey(), 1
	return p
}
