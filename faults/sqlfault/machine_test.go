package sqlfault_test

import (
	"database/sql"
	"fmt"
	"testing"

	"modernc.org/sqlite"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/sqlfault"
)

// side is one of two databases that must answer alike.
type side struct {
	db *sql.DB
	tx *sql.Tx
}

func (s *side) do(op string, n int) string {
	type execer interface {
		Exec(string, ...any) (sql.Result, error)
		Query(string, ...any) (*sql.Rows, error)
		Prepare(string) (*sql.Stmt, error)
	}
	var on execer = s.db
	if s.tx != nil {
		on = s.tx
	}
	switch op {
	case "begin":
		if s.tx != nil {
			return "in one"
		}
		tx, err := s.db.Begin()
		s.tx = tx
		return fmt.Sprint(err)
	case "commit", "rollback":
		if s.tx == nil {
			return "in none"
		}
		tx := s.tx
		s.tx = nil
		if op == "commit" {
			return fmt.Sprint(tx.Commit())
		}
		return fmt.Sprint(tx.Rollback())
	case "insert":
		return result(on.Exec("insert into t values (?, ?)", n, fmt.Sprint("row ", n)))
	case "script":
		return result(on.Exec("update t set what = 'x' where id = 1; delete from t where id = 2"))
	case "savepoint":
		return result(on.Exec("savepoint s; insert into t values (100, 's'); rollback to s; release s"))
	case "prepared":
		stmt, err := on.Prepare("insert or replace into t values (?, 'prepared') returning id")
		if err != nil {
			return err.Error()
		}
		defer func() { _ = stmt.Close() }()
		rows, err := stmt.Query(n)
		return table(rows, err)
	case "select":
		rows, err := on.Query("select id, what, typeof(what) from t where id <= ? order by id", n)
		return table(rows, err)
	default:
		return result(on.Exec("no such statement"))
	}
}

func result(r sql.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	id, err1 := r.LastInsertId()
	n, err2 := r.RowsAffected()
	return fmt.Sprint(id, n, err1, err2)
}

func table(rows *sql.Rows, err error) string {
	if err != nil {
		return err.Error()
	}
	defer func() { _ = rows.Close() }()
	types, err := rows.ColumnTypes()
	out := fmt.Sprint(err)
	for _, c := range types {
		nullable, ok := c.Nullable()
		out += fmt.Sprint(" ", c.Name(), c.DatabaseTypeName(), c.ScanType(), nullable, ok)
	}
	for rows.Next() {
		values := make([]any, len(types))
		for i := range values {
			values[i] = new(any)
		}
		err := rows.Scan(values...)
		for _, v := range values {
			out += fmt.Sprintf(" %v", *v.(*any))
		}
		out += fmt.Sprintln(err)
	}
	return out + fmt.Sprint(rows.Err())
}

// Whatever is done to it, a wrapped driver answers as the driver does.
func TestOpen_AnswersAsTheDriverDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			t.Fatal(err)
		}
		wrapped, err := sqlfault.Open(&sqlite.Driver{}, ":memory:", faults.NewInjector(nil, faults.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		sides := [2]*side{{db: plain}, {db: wrapped}}
		for _, s := range sides {
			s.db.SetMaxOpenConns(1)
			if _, err := s.db.Exec("create table t (id integer primary key, what text)"); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if s.tx != nil {
					_ = s.tx.Rollback()
				}
				if err := s.db.Close(); err != nil {
					t.Error(err)
				}
			}()
		}
		actions := map[string]func(*rapid.T){}
		for _, op := range []string{"begin", "commit", "rollback", "insert", "script", "savepoint", "prepared", "select", "wrong"} {
			actions[op] = func(t *rapid.T) {
				n := rapid.IntRange(1, 5).Draw(t, "n")
				if a, b := sides[0].do(op, n), sides[1].do(op, n); a != b {
					t.Errorf("%s %d\ndriver  %s\nwrapped %s", op, n, a, b)
				}
			}
		}
		t.Repeat(actions)
	})
}
