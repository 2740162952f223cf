package sqlfault

import (
	"context"
	"database/sql/driver"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// bare is a connection with nothing optional.
type bare struct{}

func (bare) Prepare(string) (driver.Stmt, error) { return nil, errors.New("no statement") }
func (bare) Close() error                        { return nil }
func (bare) Begin() (driver.Tx, error)           { return nil, errors.New("no transaction") }

// connInterfaces lists, by asking for each in turn, the optional interfaces of a connection.
func connInterfaces(c any) (names []string) {
	for _, i := range []struct {
		name string
		has  func(any) bool
	}{
		{"Pinger", has[driver.Pinger]}, {"ExecerContext", has[driver.ExecerContext]}, {"Execer", has[driver.Execer]},
		{"QueryerContext", has[driver.QueryerContext]}, {"Queryer", has[driver.Queryer]},
		{"ConnPrepareContext", has[driver.ConnPrepareContext]}, {"ConnBeginTx", has[driver.ConnBeginTx]},
		{"SessionResetter", has[driver.SessionResetter]}, {"Validator", has[driver.Validator]},
		{"NamedValueChecker", has[driver.NamedValueChecker]},
	} {
		if i.has(c) {
			names = append(names, i.name)
		}
	}
	return names
}

func stmtInterfaces(s any) (names []string) {
	for _, i := range []struct {
		name string
		has  func(any) bool
	}{
		{"StmtExecContext", has[driver.StmtExecContext]}, {"StmtQueryContext", has[driver.StmtQueryContext]},
		{"NamedValueChecker", has[driver.NamedValueChecker]}, {"ColumnConverter", has[driver.ColumnConverter]},
	} {
		if i.has(s) {
			names = append(names, i.name)
		}
	}
	return names
}

func has[T any](v any) bool { _, ok := v.(T); return ok }

// Every subset of the optional interfaces is seen through the wrapper, no more and no less. The fakes are
// built from the same table, so each is first shown to have a subset of its own.
func TestConn_EverySubsetOfInterfaces(t *testing.T) {
	seen := map[string]bool{}
	for mask := range connCombinations {
		fake := connCombinations[mask](&conn{inner: bare{}, w: &wrapper{}})
		want := strings.Join(connInterfaces(fake), " ")
		if seen[want] {
			t.Fatalf("two fakes have %s", want)
		}
		seen[want] = true
		wrapped := newConn(fake, &wrapper{})
		if got := strings.Join(connInterfaces(wrapped), " "); got != want {
			t.Errorf("wrapped %s\ngot     %s", want, got)
		}
		if wrapped.(interface{ Unwrap() driver.Conn }).Unwrap() != fake {
			t.Errorf("Unwrap of %s is not the inner connection", want)
		}
	}
	if len(seen) != 1024 {
		t.Errorf("%d subsets of 10 interfaces, want 1024", len(seen))
	}
}

type bareStmt struct{}

func (bareStmt) Close() error                               { return nil }
func (bareStmt) NumInput() int                              { return 0 }
func (bareStmt) Exec([]driver.Value) (driver.Result, error) { return nil, nil }
func (bareStmt) Query([]driver.Value) (driver.Rows, error)  { return nil, nil }

func TestStmt_EverySubsetOfInterfaces(t *testing.T) {
	seen := map[string]bool{}
	for mask := range stmtCombinations {
		fake := stmtCombinations[mask](&stmt{inner: bareStmt{}, conn: &conn{w: &wrapper{}}})
		want := strings.Join(stmtInterfaces(fake), " ")
		seen[want] = true
		wrapped, err := (&conn{w: &wrapper{}}).stmt(fake, "", nil)
		if got := strings.Join(stmtInterfaces(wrapped), " "); err != nil || got != want {
			t.Errorf("wrapped %s\ngot     %s (%v)", want, got, err)
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d subsets of 4 interfaces, want 16", len(seen))
	}
}

type plainDriver struct{}

func (plainDriver) Open(string) (driver.Conn, error) { return bare{}, nil }

type contextDriver struct{ plainDriver }

func (contextDriver) OpenConnector(string) (driver.Connector, error) { return plainConnector{}, nil }

type plainConnector struct{}

func (plainConnector) Connect(context.Context) (driver.Conn, error) { return bare{}, nil }
func (plainConnector) Driver() driver.Driver                        { return plainDriver{} }

type closingConnector struct{ plainConnector }

func (closingConnector) Close() error { return nil }

func TestDriverAndConnector_Interfaces(t *testing.T) {
	for name, c := range map[string]struct{ got, want bool }{
		"plain driver":      {has[driver.DriverContext](Driver(plainDriver{}, nil)), false},
		"context driver":    {has[driver.DriverContext](Driver(contextDriver{}, nil)), true},
		"plain connector":   {has[io.Closer](NewConnector(plainConnector{}, nil)), false},
		"closing connector": {has[io.Closer](NewConnector(closingConnector{}, nil)), true},
		"driver's own":      {has[plainDriver](NewConnector(plainConnector{}, nil).Driver()), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

// A new Go release may add an interface that a wrapper hides: this test names it.
func TestInterfaces_NoneOfTheDriverPackageIsForgotten(t *testing.T) {
	known := map[string]string{
		"Driver": "wrapped", "DriverContext": "wrapped", "Connector": "wrapped", "Conn": "wrapped", "Stmt": "wrapped", "Tx": "wrapped",
		"Pinger": "part", "ExecerContext": "part", "Execer": "part", "QueryerContext": "part", "Queryer": "part",
		"ConnPrepareContext": "part", "ConnBeginTx": "part", "SessionResetter": "part", "Validator": "part", "NamedValueChecker": "part",
		"StmtExecContext": "part", "StmtQueryContext": "part", "ColumnConverter": "part",
		"Result": "the driver's own", "Rows": "the driver's own", "RowsNextResultSet": "the driver's own",
		"RowsColumnTypeScanType": "the driver's own", "RowsColumnTypeDatabaseTypeName": "the driver's own",
		"RowsColumnTypeLength": "the driver's own", "RowsColumnTypeNullable": "the driver's own",
		"RowsColumnTypePrecisionScale": "the driver's own", "RowsColumnScanner": "the driver's own",
		"ValueConverter": "a value", "Valuer": "a value",
	}
	files, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "database", "sql", "driver", "*.go"))
	if len(files) == 0 {
		t.Skip("the source of database/sql/driver is not here")
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if _, ok := spec.Type.(*ast.InterfaceType); ok && spec.Name.IsExported() && known[spec.Name.Name] == "" {
				t.Errorf("driver.%s is not known to the wrappers", spec.Name.Name)
			}
			return true
		})
	}
}
