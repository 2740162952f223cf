//go:build unix

package sqlfault_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"modernc.org/sqlite"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/sqlfault"
)

// TestMain is also the child: one life of everything over a database, armed for the whole process.
func TestMain(m *testing.M) {
	if path := os.Getenv("SQLFAULT_TEST_DB"); path != "" {
		plan, err := faults.Parse(os.Getenv("SQLFAULT_TEST_PLAN"))
		if err != nil {
			panic(err)
		}
		faults.Arm(faults.NewInjector(plan.Life(0), faults.Options{Crash: func(faults.Point) { faults.KillSelf() }}))
		db, err := sqlfault.Open(&sqlite.Driver{}, path, nil)
		if err != nil {
			panic(err)
		}
		if err := everything(db); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A real kill leaves the same rows as a simulated crash does.
func TestArm_RealKills(t *testing.T) {
	for point, want := range map[string]int{
		"sql.exec/after#1": 0, "sql.commit/before#1": 0, "sql.commit/after#1": 2, "sql.exec/after#3": 2, "sql.commit/after#2": 3,
	} {
		t.Run(point, func(t *testing.T) {
			path := shop(t)
			child := exec.Command(os.Args[0], "-test.run=^$")
			child.Env = append(os.Environ(), "SQLFAULT_TEST_DB="+path, "SQLFAULT_TEST_PLAN=kill "+point, "GORACE=atexit_sleep_ms=0")
			var said strings.Builder
			child.Stderr = &said
			err := child.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) {
				t.Fatalf("the child ended with %v: %s", err, said.String())
			}
			if status := exit.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGKILL {
				t.Fatalf("the child ended with %v: %s", err, said.String())
			}
			if got := rows(t, path); got != want {
				t.Errorf("%d rows, want %d", got, want)
			}
		})
	}
}
