// Command sqlite is a small program over SQLite that the tests crash.
//
//	sqlite init JOURNAL          makes shop.db
//	sqlite run JOURNAL SYNC N    N transactions over three tables, those not done yet, each acknowledged
//	sqlite careless N            the same work in two transactions each, the mark after the effect
//	sqlite open                  opens shop.db, and with that recovers it
//	sqlite check                 says what is wrong with shop.db: corrupt, torn, or an acknowledged row lost
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"

	_ "modernc.org/sqlite"
)

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = max(status, 3)
	}
	os.Exit(status)
}

func run(args []string) (int, error) {
	db, err := sql.Open("sqlite", "file:shop.db?_pragma=busy_timeout(1000)")
	if err != nil {
		return 3, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	switch args[0] {
	case "init":
		return 0, initialize(db, args[1])
	case "run":
		n, _ := strconv.Atoi(args[3])
		return 0, transactions(db, args[1], args[2], n)
	case "careless":
		n, _ := strconv.Atoi(args[1])
		return 0, careless(db, n)
	case "open":
		var n int
		return 0, db.QueryRow("select count(*) from a").Scan(&n)
	case "check":
		return check(db)
	}
	return 2, fmt.Errorf("unknown command %q", args[0])
}

func initialize(db *sql.DB, journal string) error {
	return all(db, "pragma journal_mode="+journal, "create table a(id integer)", "create table b(id integer)", "create table c(id integer, text text)",
		"insert into a values(0)", "insert into b values(0)", "insert into c values(0, '')")
}

func all(db *sql.DB, statements ...string) error {
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func transactions(db *sql.DB, journal, synchronous string, n int) error {
	if err := all(db, "pragma journal_mode="+journal, "pragma synchronous="+synchronous); err != nil {
		return err
	}
	for id := 1; id <= n; id++ {
		var done int
		if err := db.QueryRow("select count(*) from a where id=?", id).Scan(&done); err != nil {
			return err
		}
		if done == 0 {
			i := strconv.Itoa(id)
			if err := all(db, "begin immediate", "insert into a values("+i+")", "insert into b values("+i+")",
				"insert into c values("+i+", '"+strings.Repeat("x", 300)+"')", "commit"); err != nil {
				return err
			}
		}
		fmt.Printf("acked %d\n", id)
	}
	return nil
}

func careless(db *sql.DB, n int) error {
	for id := 1; id <= n; id++ {
		var done int
		if err := db.QueryRow("select count(*) from b where id=?", id).Scan(&done); err != nil {
			return err
		}
		if done > 0 {
			continue
		}
		i := strconv.Itoa(id)
		if err := all(db, "insert into a values("+i+")", "insert into b values("+i+")", "insert into c values("+i+", '')"); err != nil {
			return err
		}
	}
	return nil
}

func check(db *sql.DB) (int, error) {
	var verdict string
	if err := db.QueryRow("pragma integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		fmt.Println("state-mismatch: corrupt:", verdict, err)
		return 1, nil
	}
	columns := map[string]string{}
	for _, table := range []string{"a", "b", "c"} {
		var ids sql.NullString
		if err := db.QueryRow("select group_concat(id) from (select id from " + table + " order by id)").Scan(&ids); err != nil {
			fmt.Println("state-mismatch: corrupt:", err)
			return 1, nil
		}
		columns[table] = ids.String
	}
	if columns["a"] != columns["b"] || columns["b"] != columns["c"] {
		fmt.Println("double-write: torn:", columns)
		return 1, nil
	}
	acked, err := os.ReadFile(os.Getenv("PAYTWICE_ACKED"))
	if err != nil {
		return 3, err
	}
	for _, id := range strings.Fields(string(acked)) {
		if !strings.Contains(","+columns["a"]+",", ","+id+",") {
			fmt.Println("lost-write: acknowledged", id, "is not among", columns["a"])
			return 1, nil
		}
	}
	return 0, nil
}
