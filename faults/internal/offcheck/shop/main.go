// Command shop is a program that uses every kind of point, for the test that reads its binary.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/filefault"
	"github.com/paytwice/paytwice/faults/httpfault"
	"github.com/paytwice/paytwice/faults/sqlfault"
)

// none is a driver that connects to nothing.
type none struct{}

func (none) Open(string) (driver.Conn, error) { return nil, errors.New("no database") }

// deaf is a round tripper that answers by itself.
type deaf struct{}

func (deaf) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusNoContent, Body: io.NopCloser(bytes.NewReader(nil))}, nil
}

func main() {
	ctx := context.Background()
	faults.Here(ctx, "started")
	sql.Register("none", sqlfault.Driver(none{}, nil))
	db, err := sql.Open("none", "")
	if err != nil {
		panic(err)
	}
	fmt.Println(db.PingContext(ctx))
	client := &http.Client{Transport: httpfault.Transport(deaf{}, nil)}
	resp, err := client.Get("http://shop.test/")
	if err != nil {
		panic(err)
	}
	fmt.Println(resp.StatusCode, resp.Body.Close())
	path := filepath.Join(os.TempDir(), fmt.Sprint("offcheck-", os.Getpid()))
	files := filefault.FS(nil)
	fmt.Println(files.WriteFile(path, []byte("x"), 0o600), files.Remove(path))
}
