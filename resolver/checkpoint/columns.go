package checkpoint

import (
	"fmt"
	"math"
	"time"

	"github.com/paytwice/paytwice/resolver"
)

// columns reads one row's values by name and keeps the first thing that is wrong with one. SQLite puts
// any type into any column, so what a file holds is not what its schema says.
type columns struct {
	names  []string
	values []any
	err    error
}

// scanColumns reads one row through a Scan method.
func scanColumns(names []string, scan func(...any) error) (*columns, error) {
	c := &columns{names: names, values: make([]any, len(names))}
	into := make([]any, len(names))
	for i := range into {
		into[i] = &c.values[i]
	}
	return c, scan(into...)
}

func (c *columns) value(name string) any {
	for i, n := range c.names {
		if n == name {
			return c.values[i]
		}
	}
	panic("checkpoint: no column " + name)
}

func (c *columns) text(name string) string {
	v := c.value(name)
	s, ok := v.(string)
	if !ok {
		c.wrong(name, v, "a text")
	}
	return s
}

func (c *columns) number(name string) int64 {
	v := c.value(name)
	n, ok := v.(int64)
	if !ok {
		c.wrong(name, v, "a whole number")
	}
	return n
}

// count reads a number that can't be negative.
func (c *columns) count(name string) int {
	n := c.number(name)
	if (n < 0 || n > math.MaxInt) && c.err == nil {
		c.err = fmt.Errorf("%w: field %s: %d is no count", resolver.ErrBadState, name, n)
	}
	return int(n)
}

// moment reads a time; an empty text is none.
func (c *columns) moment(name string) time.Time {
	text := c.text(name)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		c.wrong(name, text, "a time")
	}
	return t
}

func (c *columns) wrong(name string, v any, want string) {
	if c.err != nil {
		return
	}
	if v == nil {
		c.err = fmt.Errorf("%w: field %s is missing", resolver.ErrBadState, name)
		return
	}
	c.err = fmt.Errorf("%w: field %s: %.40q is not %s", resolver.ErrBadState, name, fmt.Sprint(v), want)
}

// timeText is the stored form of a time: RFC 3339 with its offset, which the list of runs shows.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}
