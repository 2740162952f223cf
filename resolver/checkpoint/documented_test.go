package checkpoint_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/resolver/checkpoint"
)

// The page on supervision names every table and every column of the file.
func TestSchema_Documented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "supervision.md"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "runs.sqlite")
	store, err := checkpoint.Open(path, checkpoint.Options{Clock: newClock()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns := 0
	for ; rows.Next(); columns++ {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		_, about, found := strings.Cut(string(page), "`"+table+"`")
		if !found || !strings.Contains(about, "`"+column+"`") {
			t.Errorf("docs/supervision.md says nothing of %s.%s", table, column)
		}
	}
	if rows.Err() != nil || columns < 20 {
		t.Errorf("%d columns, %v", columns, rows.Err())
	}
}
