package sqltext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/faults/internal/sqltext"
)

func TestOperation(t *testing.T) {
	for query, want := range map[string]string{
		"insert into t values (1)":            "exec",
		"":                                    "exec",
		" ; ;":                                "exec",
		"begin":                               "begin",
		"BEGIN IMMEDIATE":                     "begin",
		"start transaction read only":         "begin",
		"start slave":                         "exec",
		"commit":                              "commit",
		"Commit;":                             "commit",
		"\t/* why */ -- so\n COMMIT -- done":  "commit",
		"end transaction":                     "commit",
		"prepare transaction 'x'":             "commit",
		"prepare q as select 1":               "exec",
		"rollback":                            "rollback",
		"abort":                               "rollback",
		"rollback to s":                       "rollback_to",
		"rollback transaction to savepoint s": "rollback_to",
		"rollback work":                       "rollback",
		"savepoint s":                         "savepoint",
		"release savepoint s":                 "release",
		"committed":                           "exec",
		"begin; insert into t values (1); commit":                           "commit",
		"begin; insert into t values (1)":                                   "exec",
		"savepoint s; rollback to s":                                        "rollback_to",
		"insert into t values ('; commit')":                                 "exec",
		"insert into t values (\"; commit\")":                               "exec",
		"select $x$; commit; $x$":                                           "exec",
		"select $1; commit":                                                 "commit",
		"select 'it''s; commit'":                                            "exec",
		"select 1 -- ; commit":                                              "exec",
		"select 1 /* ; commit":                                              "exec",
		"select 'open; commit":                                              "exec",
		"create trigger a after insert on t begin delete from u; end":       "exec",
		"create temp trigger a after insert on t begin delete from u; end;": "exec",
		"create or replace function f() begin atomic; commit; end":          "exec",
		"create table t (a); commit":                                        "commit",
		"# why; not\ncommit":                                                "commit", // MySQL
		"select 5 # 3; commit":                                              "commit", // PostgreSQL's operator
		"xa start 'x'":                                                      "begin",
		"xa end 'x'":                                                        "exec",
		"xa prepare 'x'":                                                    "commit",
		"xa commit 'x'":                                                     "commit",
		"xa rollback 'x'":                                                   "rollback",
		"/* a /* b */ c */ commit":                                          "commit", // PostgreSQL's comments nest
		"/* a /* b */ commit":                                               "commit", // the others' don't
		"/* a /* b */ commit /* c */":                                       "commit",
		"insert into t values ('it\\'s; commit')":                           "exec", // MySQL
		"select \"it\\\"s; commit\"":                                        "exec",
		"select 'C:\\'; commit":                                             "commit", // PostgreSQL and SQLite
		"select E'it\\'s', e'; commit;\\''":                                 "exec",
		"select E'C:\\\\'; commit":                                          "commit",
		"select name'a\\'; commit; select ''":                               "commit", // no E on its own
		"select [a;commit] from t":                                          "exec",
		"select t.[a;commit], [b;commit]":                                   "exec",
		"select a[1]; commit":                                               "commit",
		"select array['a]', 'b;commit;']":                                   "exec",
		"commit; create trigger a begin end":                                "commit",
	} {
		if got := sqltext.Operation(query, sqltext.Exec); got != want {
			t.Errorf("%q is sql.%s, want sql.%s", query, got, want)
		}
	}
	if got := sqltext.Operation("select 1", sqltext.Query); got != "query" {
		t.Errorf("a query is sql.%s", got)
	}
}

// Whatever the text, an operation is one of the known, and blanks and comments around it change nothing.
func FuzzOperation(f *testing.F) {
	for _, seed := range []string{"begin", "commit; x", "select $a$;$a$", "'", "--", "/*", "create trigger x begin; end", "rollback to x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		got := sqltext.Operation(query, sqltext.Exec)
		if !slices.Contains([]string{sqltext.Begin, sqltext.Commit, sqltext.Rollback, sqltext.Savepoint, sqltext.Release, sqltext.RollbackTo, sqltext.Exec}, got) {
			t.Fatalf("%q is %q", query, got)
		}
		if padded := sqltext.Operation(" /* ; */ ;\n-- commit\n"+query, sqltext.Exec); padded != got {
			t.Fatalf("%q is %s, padded %s", query, got, padded)
		}
		if upper := sqltext.Operation(strings.ToUpper(query), sqltext.Exec); isASCII(query) && !strings.Contains(query, "$") && upper != got {
			t.Fatalf("%q is %s, in capitals %s", query, got, upper)
		}
	})
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 0x7f }) < 0
}
