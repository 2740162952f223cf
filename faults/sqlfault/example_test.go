package sqlfault_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/sqlfault"
)

// A program that records a refund in a transaction is killed on both sides of its commit.
func Example() {
	folder, err := os.MkdirTemp("", "sqlfault")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()

	record := func(db *sql.DB) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := tx.Exec("insert into refunds values ('order-1')"); err != nil {
			return err
		}
		return tx.Commit()
	}

	for i, text := range []string{"kill sql.commit/before#1", "kill sql.commit/after#1"} {
		path := filepath.Join(folder, fmt.Sprint(i))
		later, err := sql.Open("sqlite", path)
		if err != nil {
			panic(err)
		}
		if _, err := later.Exec("create table refunds (what text)"); err != nil {
			panic(err)
		}

		plan, err := faults.Parse(text)
		if err != nil {
			panic(err)
		}
		in := faults.NewInjector(plan.Life(0), faults.Options{})
		db, err := sqlfault.Open(&sqlite.Driver{}, path, in)
		if err != nil {
			panic(err)
		}
		at, crashed, _ := in.Catch(func() error { return record(db) })
		_ = db.Close()

		var rows int
		if err := later.QueryRow("select count(*) from refunds").Scan(&rows); err != nil {
			panic(err)
		}
		_ = later.Close()
		fmt.Printf("crashed %v at %s, rows %d\n", crashed, at, rows)
	}
	// Output:
	// crashed true at sql.commit/before#1, rows 0
	// crashed true at sql.commit/after#1, rows 1
}
