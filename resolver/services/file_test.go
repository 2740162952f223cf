package services_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/services"
)

// wantAdvice asserts that an error names the file and says what to do.
func wantAdvice(t *testing.T, err error, path, advice string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), advice) {
		t.Errorf("error %v, want %q and %q", err, path, advice)
	}
}

func tryOpen(path string) error {
	f, err := services.Open(ctx, path, config(newClock(), provider.Larkfield()))
	if err == nil {
		err = f.Check(ctx)
		f.Close()
	}
	return err
}

func TestOpen_SaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(*testing.T, string)
		advice string
	}{
		{"missing", func(t *testing.T, path string) { os.Remove(path) }, "make it with a reset"},
		{"empty", func(t *testing.T, path string) { os.Truncate(path, 0) }, "the file is no practice database"},
		{"cut short", func(t *testing.T, path string) { os.Truncate(path, 20_000) }, "replace it by a fresh one with a reset"},
		{"text", func(t *testing.T, path string) {
			os.WriteFile(path, []byte(strings.Repeat("no database ", 100)), 0o644)
		}, "replace it by a fresh one with a reset"},
		{"a few bytes", func(t *testing.T, path string) { os.Truncate(path, 50) }, "replace it by a fresh one with a reset"},
		{"a folder", func(t *testing.T, path string) { os.Remove(path); os.Mkdir(path, 0o755) }, "the file is no practice database"},
		{"somebody else's", func(t *testing.T, path string) { run(t, path, "PRAGMA application_id = 7") }, "the file is no practice database"},
		{"another build's", func(t *testing.T, path string) { run(t, path, "PRAGMA user_version = 99") }, "version 99"},
		{"scrambled", func(t *testing.T, path string) {
			bytes, _ := os.ReadFile(path)
			for i := 100; i < len(bytes); i += 3 {
				bytes[i] = 0xff
			}
			os.WriteFile(path, bytes, 0o644)
		}, "replace it by a fresh one with a reset"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := newFile(t)
			c.spoil(t, path)
			wantAdvice(t, tryOpen(path), path, c.advice)
			_, err := services.ReadImage(ctx, path)
			if c.name != "scrambled" {
				wantAdvice(t, err, path, c.advice)
			}
		})
	}
}

func run(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// The wait for the lock runs on the bubble's clock, so its five seconds cost none; the driver waits on a
// timer of Go's only for a context that can end.
func TestWrite_OnALockedFile(t *testing.T) {
	path := newFile(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		f, err := services.Open(ctx, path, config(newClock(), provider.Larkfield()))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		other, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		other.SetMaxOpenConns(1)
		if _, err := other.Exec("BEGIN EXCLUSIVE"); err != nil {
			t.Fatal(err)
		}
		_, err = send(ctx, f.Services(caller("T-1")), "op-1", refund("LK-100001", 995, ""))
		wantAdvice(t, err, path, "another process holds it")
		if _, err := other.Exec("ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		if _, err := send(ctx, f.Services(caller("T-1")), "op-1", refund("LK-100001", 995, "")); err != nil {
			t.Errorf("once the lock is gone: %v", err)
		}
	})
}

func TestCreate_LeavesAFileThatExists(t *testing.T) {
	path := newFile(t)
	if err := services.Create(ctx, path, shop()); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

func TestReset_ReplacesWhateverIsThere(t *testing.T) {
	for name, before := range map[string]func(*testing.T, string){
		"changes": changed,
		"a journal": func(t *testing.T, path string) {
			os.WriteFile(path+"-journal", []byte("left by a killed process"), 0o644)
		},
		"nonsense": func(t *testing.T, path string) { os.WriteFile(path, []byte("nonsense"), 0o644) },
		"nothing":  func(t *testing.T, path string) { os.RemoveAll(filepath.Dir(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "work", "larkfield.sqlite")
			if err := services.Create(ctx, path, shop()); err != nil {
				t.Fatal(err)
			}
			before(t, path)
			if err := services.Reset(ctx, path, shop()); err != nil {
				t.Fatal(err)
			}
			left, _ := os.ReadDir(filepath.Dir(path))
			equal(t, "files", 1, len(left)) // before SQLite itself tidies up
			image, err := services.ReadImage(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "image", &services.Image{}, image)
			if err := tryOpen(path); err != nil {
				t.Error(err)
			}
		})
	}
}

func changed(t *testing.T, path string) {
	t.Helper()
	f, err := services.Open(ctx, path, config(newClock(), provider.Larkfield()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := send(ctx, f.Services(caller("T-1")), "op-1", refund("LK-100001", 995, "")); err != nil {
		t.Fatal(err)
	}
}

// A template is copied as one file: everything that was answered must be in it, without a log beside it.
func TestFile_IsWholeByItself(t *testing.T) {
	path := newFile(t)
	f := open(t, path, config(newClock(), provider.Larkfield()))
	if _, err := send(ctx, f.Services(caller("T-1")), "op-1", refund("LK-100001", 995, "")); err != nil {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(path) // while the file is still open
	if err != nil {
		t.Fatal(err)
	}
	replica := filepath.Join(t.TempDir(), "copy.sqlite")
	os.WriteFile(replica, bytes, 0o644)
	image, err := services.ReadImage(ctx, replica)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "effects in the copy", 1, len(image.Ledger))
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Stat(path + suffix); err == nil {
			t.Errorf("%s stands beside the file", suffix)
		}
	}
}

func TestFile_TwoProcessesShareTheRegister(t *testing.T) {
	path := newFile(t)
	c := newClock()
	first, second := open(t, path, config(c, provider.Larkfield())), open(t, path, config(c, provider.Larkfield()))
	for i, f := range []*services.File{first, second, first} {
		change, err := send(ctx, f.Services(caller("T-1")), "op-1", refund("LK-100001", 995, ""))
		if err != nil || change.Repeated != (i > 0) {
			t.Errorf("call %d: %+v, %v", i+1, change, err)
		}
	}
}

// A transaction reads before it writes. If it took the lock only then, two at once could not both go on.
func TestFile_WritersAtTheSameTime(t *testing.T) {
	path := newFile(t)
	c := config(newClock(), provider.NoKey())
	var writers sync.WaitGroup
	const each = 15
	for n := range 3 {
		used := services.Fault{Tool: "request_refund", Mode: services.Denied, Times: 1} // whether it is used up is read first
		s := open(t, path, c).Services(services.Caller{RunID: fmt.Sprint(n), Faults: []services.Fault{used}})
		writers.Go(func() {
			send(ctx, s, "", refund("LK-100002", 1, ""))
			for range each {
				if _, err := send(ctx, s, "", refund("LK-100002", 1, "")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	image, err := services.ReadImage(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "requests and effects", []int{3 * (1 + each), 3 * each}, []int{image.Requests, len(image.Ledger)})
}

func TestFile_OldRowsAreNoChanges(t *testing.T) {
	path := newFile(t)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for table, want := range map[string]string{"refunds": "seed-RF-0001", "return_labels": "seed-RL-0001"} {
		var got string
		if err := db.QueryRow("SELECT operation_id FROM " + table).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %q, %v", table, got, err)
		}
	}
	f := open(t, path, config(newClock(), provider.Larkfield()))
	changes, err := f.Changes(ctx)
	if err != nil || len(changes) != 0 {
		t.Errorf("%v, %v", changes, err)
	}
}
