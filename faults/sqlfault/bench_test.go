package sqlfault_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"testing"
	"time"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/sqlfault"
)

// BenchmarkCommit measures begin, insert, commit to a file, without and with points, each turn one of both
// so that a busy disk strikes both alike. The figures are medians; overhead-% is what the points add.
func BenchmarkCommit(b *testing.B) {
	plain, err := sql.Open("sqlite", shop(b))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	plain.SetMaxOpenConns(1)
	wrapped := open(b, shop(b), faults.NewInjector(nil, faults.Options{}))
	dbs, first := [2]*sql.DB{plain, wrapped}, 0
	var spent [2][]time.Duration
	for b.Loop() {
		first = 1 - first // whoever comes second finds the caches as the first left them
		for _, i := range []int{first, 1 - first} {
			start := time.Now()
			if err := refund(dbs[i]); err != nil {
				b.Fatal(err)
			}
			spent[i] = append(spent[i], time.Since(start))
		}
	}
	for i := range spent {
		slices.Sort(spent[i])
	}
	without, with := float64(spent[0][b.N/2]), float64(spent[1][b.N/2])
	b.ReportMetric(without, "plain-ns/op")
	b.ReportMetric(with, "wrapped-ns/op")
	b.ReportMetric(100*(with-without)/without, "overhead-%")
}

// idle is a connection whose calls do nothing, so that what is left is the wrapper.
type idle struct{}

func (idle) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (idle) Close() error                        { return nil }
func (idle) Begin() (driver.Tx, error)           { return idle{}, nil }
func (idle) Commit() error                       { return nil }
func (idle) Rollback() error                     { return nil }
func (idle) Open(string) (driver.Conn, error)    { return idle{}, nil }
func (idle) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.ResultNoRows, nil
}

// BenchmarkCall measures one call of a driver that does nothing.
func BenchmarkCall(b *testing.B) {
	ctx := context.Background()
	for _, c := range []struct {
		name string
		wrap func() driver.Driver
	}{
		{"unwrapped", func() driver.Driver { return idle{} }},
		{"wrapped, nothing armed", func() driver.Driver { return sqlfault.Driver(idle{}, nil) }},
		{"wrapped and armed", func() driver.Driver { return sqlfault.Driver(idle{}, faults.NewInjector(nil, faults.Options{})) }},
	} {
		conn, err := c.wrap().Open("")
		if err != nil {
			b.Fatal(err)
		}
		exec := conn.(driver.ExecerContext)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := exec.ExecContext(ctx, "insert into refunds (what) values ('order-1')", nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// With nothing armed a wrapped call allocates nothing.
func TestDriver_NothingArmedAllocatesNothing(t *testing.T) {
	conn, err := sqlfault.Driver(idle{}, nil).Open("")
	if err != nil {
		t.Fatal(err)
	}
	exec := conn.(driver.ExecerContext)
	if n := testing.AllocsPerRun(100, func() { _, _ = exec.ExecContext(context.Background(), "commit", nil) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}
