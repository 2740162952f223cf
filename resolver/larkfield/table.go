package larkfield

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paytwice/paytwice/resolver"
)

// maxTableRows bounds a table; Larkfield's have fewer than a hundred rows.
const maxTableRows = 100_000

// row is one record of a table with its place in the file. The first thing wrong in it sticks in err, so
// that a row's reader is a plain list of its fields.
type row struct {
	file    string
	reader  *csv.Reader
	columns []string
	record  []string
	err     error
}

// readTable hands every record of a table to read, in order. The header must be exactly the columns.
//
// Errors: name the file and the line.
func readTable[T any](file string, src io.Reader, columns []string, read func(*row) T) ([]T, error) {
	r := csv.NewReader(src)
	r.FieldsPerRecord = len(columns)
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file is empty", file)
	}
	if err != nil && !errors.Is(err, csv.ErrFieldCount) {
		return nil, csvError(file, err)
	}
	if !slices.Equal(header, columns) {
		return nil, fmt.Errorf("%s:1: the columns are %q, not %q", file, strings.Join(header, ","), strings.Join(columns, ","))
	}
	rows := []T{}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, csvError(file, err)
		}
		if len(rows) == maxTableRows {
			return nil, fmt.Errorf("%s: more than %d rows", file, maxTableRows)
		}
		at := &row{file: file, reader: r, columns: columns, record: record}
		value := read(at)
		if at.err != nil {
			return nil, at.err
		}
		rows = append(rows, value)
	}
}

func csvError(file string, err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Errorf("%s:%d: %w", file, parse.Line, parse.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

func (r *row) fail(i int, format string, args ...any) {
	if r.err == nil {
		line, _ := r.reader.FieldPos(i)
		r.err = fmt.Errorf("%s:%d: %s: %s", r.file, line, r.columns[i], fmt.Sprintf(format, args...))
	}
}

// text returns a field that may be empty.
func (r *row) text(i int) string {
	if !utf8.ValidString(r.record[i]) {
		r.fail(i, "the text is not UTF-8")
	}
	return r.record[i]
}

// id returns a field that names something: an id, a code, a status.
func (r *row) id(i int) string {
	if !resolver.IsName(r.record[i]) {
		r.fail(i, "%q is not an id or a code", r.record[i])
	}
	return r.record[i]
}

func (r *row) optionalID(i int) string {
	if r.record[i] == "" {
		return ""
	}
	return r.id(i)
}

func (r *row) oneOf(i int, allowed ...string) string {
	if !slices.Contains(allowed, r.record[i]) {
		r.fail(i, "%q is not one of %v", r.record[i], allowed)
	}
	return r.record[i]
}

func (r *row) cents(i int) int64 {
	cents, err := resolver.ParseCents(r.record[i])
	if err != nil {
		r.fail(i, "%v", err)
	}
	return cents
}

// count returns a whole number from 0 to 9999.
func (r *row) count(i int) int {
	n, err := strconv.ParseUint(r.record[i], 10, 16)
	if err != nil || n > 9999 {
		r.fail(i, "%q is not a whole number from 0 to 9999", r.record[i])
	}
	return int(n)
}

func (r *row) flag(i int) bool { return r.oneOf(i, "0", "1") == "1" }

func (r *row) date(i int) string {
	if _, err := time.Parse(time.DateOnly, r.record[i]); err != nil {
		r.fail(i, "%q is not a date such as 2026-10-09", r.record[i])
	}
	return r.record[i]
}

func (r *row) optionalDate(i int) string {
	if r.record[i] == "" {
		return ""
	}
	return r.date(i)
}
