package sqlfault_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/sqlfault"
)

// shop is the path of a database with an empty table.
func shop(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.db")
	db, err := sqlfault.Open(&sqlite.Driver{}, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("create table refunds (id integer primary key, what text)"); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, in *faults.Injector, opts ...sqlfault.Option) *sql.DB {
	t.Helper()
	db, err := sqlfault.Open(&sqlite.Driver{}, path, in, opts...)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// rows counts the refunds, and checks the file, as a later process sees them.
func rows(t testing.TB, path string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var integrity string
	if err := errors.Join(db.QueryRow("pragma integrity_check").Scan(&integrity), db.QueryRow("select count(*) from refunds").Scan(&n)); err != nil {
		t.Fatal(err)
	}
	if integrity != "ok" {
		t.Fatalf("integrity_check: %s", integrity)
	}
	if _, err := db.Exec("create table if not exists locked (a)"); err != nil {
		t.Fatalf("the dead connection still holds its lock: %v", err)
	}
	return n
}

// everything is a life that uses each form of each call.
func everything(db *sql.DB) error {
	ctx := context.Background()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	prepared, err := tx.Prepare("insert into refunds (what) values (?)")
	if err != nil {
		return err
	}
	defer func() { _ = prepared.Close() }()
	if _, err := prepared.Exec("prepared"); err != nil {
		return err
	}
	var id int
	if err := tx.QueryRow("insert into refunds (what) values ('returning') returning id").Scan(&id); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	for _, text := range []string{"BEGIN", "SAVEPOINT s", "insert into refunds (what) values ('text')", "ROLLBACK TO s", "RELEASE s",
		"insert into refunds (what) values ('text')", "COMMIT", "BEGIN", "ROLLBACK"} {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

var everyPoint = strings.Fields(`
	sql.begin/before#1 sql.begin/after#1
	sql.exec/before#1 sql.exec/after#1
	sql.query/before#1 sql.query/after#1
	sql.commit/before#1 sql.commit/after#1
	sql.begin/before#2 sql.begin/after#2
	sql.savepoint/before#1 sql.savepoint/after#1
	sql.exec/before#2 sql.exec/after#2
	sql.rollback_to/before#1 sql.rollback_to/after#1
	sql.release/before#1 sql.release/after#1
	sql.exec/before#3 sql.exec/after#3
	sql.commit/before#2 sql.commit/after#2
	sql.begin/before#3 sql.begin/after#3
	sql.rollback/before#1 sql.rollback/after#1`)

func TestOpen_PointsOfEveryForm(t *testing.T) {
	var trace faults.Trace
	if err := everything(open(t, shop(t), faults.NewInjector(nil, faults.Options{Pass: trace.Pass}))); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range trace.Points() {
		got = append(got, p.String())
	}
	if diff := cmp.Diff(everyPoint, got); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
}

// A crash at each point leaves what was committed, and no lock.
func TestOpen_CrashAtEachPoint(t *testing.T) {
	seen := map[int]int{}
	for _, text := range everyPoint {
		point, err := faults.ParsePoint(text)
		if err != nil {
			t.Fatal(err)
		}
		path := shop(t)
		in := faults.NewInjector(faults.Life{faults.KillAt(point)}, faults.Options{})
		db := open(t, path, in)
		at, crashed, err := in.Catch(func() error { return everything(db) })
		if !crashed || at != point {
			t.Fatalf("%s: crashed %v at %s, error %v", text, crashed, at, err)
		}
		if _, err := db.Exec("insert into refunds (what) values ('dead')"); !errors.Is(err, faults.ErrCrashed) {
			t.Errorf("%s: a dead process's statement ended with %v", text, err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		want := 0
		if i := indexOf(everyPoint, text); i > indexOf(everyPoint, "sql.commit/before#2") {
			want = 3
		} else if i > indexOf(everyPoint, "sql.commit/before#1") {
			want = 2
		}
		got := rows(t, path)
		if seen[got]++; got != want {
			t.Errorf("%s: %d rows, want %d", text, got, want)
		}
	}
	if diff := cmp.Diff(map[int]int{0: 7, 2: 14, 3: 5}, seen); diff != "" {
		t.Errorf("end states (-want +got):\n%s", diff)
	}
}

func indexOf(list []string, text string) int {
	for i, s := range list {
		if s == text {
			return i
		}
	}
	return -1
}

func refund(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.Exec("insert into refunds (what) values ('order-1')"); err != nil {
		return err
	}
	return tx.Commit()
}

func once(db *sql.DB) error {
	_, err := db.Exec("insert into refunds (what) values ('order-1')")
	return err
}

func inText(db *sql.DB) error {
	_, err := db.Exec("begin; insert into refunds (what) values ('order-1'); commit")
	return err
}

func TestOpen_Faults(t *testing.T) {
	for _, c := range []struct {
		name string
		life string
		opts []sqlfault.Option
		run  func(*sql.DB) error
		want error
		rows int
	}{
		{"nothing", "run", nil, refund, nil, 1},
		{"commit's answer lost", "lose-response sql.commit/during#1", nil, refund, faults.ErrNoAnswer, 1},
		{"commit lost", "lose-request sql.commit/during#1", nil, refund, faults.ErrNoAnswer, 0},
		{"commit refused", "refuse sql.commit/during#1", nil, refund, faults.ErrRefused, 0},
		{"commit unavailable", "unavailable sql.commit/during#1", nil, refund, faults.ErrUnavailable, 0},
		{"begin's answer lost", "lose-response sql.begin/during#1", nil, refund, faults.ErrNoAnswer, 0},
		{"exec's answer lost in a transaction", "lose-response sql.exec/during#1", nil, refund, faults.ErrNoAnswer, 0},
		{"exec refused in a transaction", "refuse sql.exec/during#1", nil, refund, faults.ErrRefused, 0},
		{"rollback's answer lost", "refuse sql.exec/during#1, lose-response sql.rollback/during#1", nil, refund, faults.ErrRefused, 0},
		{"exec's answer lost", "lose-response sql.exec/during#1", nil, once, faults.ErrNoAnswer, 1},
		{"exec lost", "lose-request sql.exec/during#1", nil, once, faults.ErrNoAnswer, 0},
		{"script's answer lost", "lose-response sql.commit/during#1", nil, inText, faults.ErrNoAnswer, 1},
		// database/sql sends again what ended in a bad connection: three executions, one success seen.
		{"bad connection once", "lose-response sql.exec/during#1", []sqlfault.Option{sqlfault.BadConn()}, once, nil, 2},
		{"bad connection twice", "lose-response sql.exec/during#1, lose-response sql.exec/during#2", []sqlfault.Option{sqlfault.BadConn()}, once, nil, 3},
		{"bad connection always", "lose-response sql.exec/during#1, lose-response sql.exec/during#2, lose-response sql.exec/during#3",
			[]sqlfault.Option{sqlfault.BadConn()}, once, driver.ErrBadConn, 3},
		{"bad connection, nothing executed", "lose-request sql.exec/during#1", []sqlfault.Option{sqlfault.BadConn()}, once, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, err := faults.Parse(c.life)
			if err != nil {
				t.Fatal(err)
			}
			path := shop(t)
			in := faults.NewInjector(plan.Life(0), faults.Options{})
			db := open(t, path, in, c.opts...)
			if err := c.run(db); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if left := in.Unreached(); len(left) > 0 {
				t.Errorf("never struck: %v", left)
			}
			if got := rows(t, path); got != c.rows {
				t.Errorf("%d rows, want %d", got, c.rows)
			}
			// The pool has got over it.
			if err := once(db); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

func TestOpen_FaultItCanNotInject(t *testing.T) {
	plan, _ := faults.Parse("deliver-late 30s sql.exec/during#1")
	db := open(t, shop(t), faults.NewInjector(plan.Life(0), faults.Options{}))
	defer func() {
		if r, _ := recover().(string); !strings.Contains(r, "deliver-late 30s sql.exec/during#1 can't be injected") {
			t.Errorf("panic %q", r)
		}
	}()
	_ = once(db)
}

// Without an injector of its own a connection asks the context's: BeginTx brings it to the commit.
func TestOpen_InjectorOfTheContext(t *testing.T) {
	path := shop(t)
	db := open(t, path, nil)
	in := faults.NewInjector(faults.Life{faults.KillAt(faults.Point{Site: faults.Site{Seam: "sql", Operation: "commit"}, Position: faults.Before, N: 1})}, faults.Options{})
	_, crashed, err := in.Catch(func() error {
		tx, err := db.BeginTx(faults.WithInjector(t.Context(), in), nil)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("insert into refunds (what) values ('order-1')"); err != nil {
			return err
		}
		return tx.Commit()
	})
	if !crashed {
		t.Fatalf("no crash, error %v", err)
	}
	if got := rows(t, path); got != 0 {
		t.Errorf("%d rows, want 0", got)
	}
}

func TestOpen_GoroutinesAreNumberedAsTheyEnter(t *testing.T) {
	var trace faults.Trace
	db := open(t, shop(t), faults.NewInjector(nil, faults.Options{Pass: trace.Pass}))
	db.SetMaxOpenConns(1)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := once(db); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen := map[string]int{}
	for _, p := range trace.Points() {
		seen[p.String()]++
	}
	if len(seen) != 16 {
		t.Errorf("%d points of 8 calls, want 16: %v", len(seen), seen)
	}
}

func TestConnector_Raw(t *testing.T) {
	db := open(t, shop(t), nil)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	err = conn.Raw(func(c any) error {
		inner := c.(interface{ Unwrap() driver.Conn }).Unwrap()
		_, err := inner.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
