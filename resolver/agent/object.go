package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// object is a JSON object with its fields in the order of the text. encoding/json takes a name in any case
// and lets the last of two win; here a name is exact and stands once.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

var errNotObject = errors.New("not one JSON object")

// parseObject returns the fields of a text that is one JSON object and nothing else.
func parseObject(data []byte) (object, error) {
	if !utf8.Valid(data) || !json.Valid(data) {
		return nil, errNotObject
	}
	return members(data)
}

// members reads the fields without looking into their values: a value is as valid as the caller knows it
// to be. A text that ends too early is an error, never a panic.
func members(data []byte) (object, error) {
	i := skipSpace(data, 0)
	if i >= len(data) || data[i] != '{' {
		return nil, errNotObject
	}
	var o object
	i = skipSpace(data, i+1)
	for first := true; ; first = false {
		if i < len(data) && data[i] == '}' {
			if skipSpace(data, i+1) != len(data) {
				return nil, errNotObject
			}
			return o, nil
		}
		if !first {
			if i >= len(data) || data[i] != ',' {
				return nil, errNotObject
			}
			i = skipSpace(data, i+1)
		}
		m, next, err := readMember(data, i)
		if err != nil {
			return nil, err
		}
		if _, twice := o.get(m.name); twice {
			return nil, fmt.Errorf("the field %q stands there twice", m.name)
		}
		o = append(o, m)
		i = skipSpace(data, next)
	}
}

func readMember(data []byte, i int) (member, int, error) {
	end := skipString(data, i)
	if end < 0 {
		return member{}, 0, errNotObject
	}
	name, err := text(data[i:end])
	if err != nil {
		return member{}, 0, errNotObject
	}
	i = skipSpace(data, end)
	if i >= len(data) || data[i] != ':' {
		return member{}, 0, errNotObject
	}
	i = skipSpace(data, i+1)
	end = skipValue(data, i)
	if end <= i {
		return member{}, 0, errNotObject
	}
	return member{name, json.RawMessage(data[i:end])}, end, nil
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index behind the string that begins at i, or -1.
func skipString(data []byte, i int) int {
	if i >= len(data) || data[i] != '"' {
		return -1
	}
	for i++; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return -1
}

// skipValue returns the index behind the value that begins at i, or -1.
func skipValue(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch c := data[i]; c {
		case '"':
			if i = skipString(data, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return -1
			}
			i++
			continue
		default:
			for i < len(data) && !isDelimiter(data[i]) {
				i++
			}
		}
		if depth <= 0 {
			if depth < 0 {
				return -1
			}
			return i
		}
	}
	return -1
}

func isDelimiter(c byte) bool {
	switch c {
	case ',', ':', '{', '}', '[', ']', '"', ' ', '\t', '\n', '\r':
		return true
	}
	return false
}

func (o object) get(name string) (json.RawMessage, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// exactly reports the first field that is missing or that has no place here.
func (o object) exactly(names ...string) error {
	for _, name := range names {
		if _, ok := o.get(name); !ok {
			return fmt.Errorf("the field %q is missing", name)
		}
	}
	for _, m := range o {
		if !slices.Contains(names, m.name) {
			return fmt.Errorf("the field %q has no place here", CleanLine(shorten(m.name, 40)))
		}
	}
	return nil
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

// text returns a JSON string. A plain one needs no decoder, and nearly all are plain.
func text(value json.RawMessage) (string, error) {
	if n := len(value); n >= 2 && value[0] == '"' && bytes.IndexByte(value, '\\') < 0 {
		inner := value[1 : n-1]
		if bytes.IndexByte(inner, '"') < 0 && bytes.IndexFunc(inner, func(r rune) bool { return r < 0x20 }) < 0 {
			return string(inner), nil
		}
	}
	var s string
	if len(value) == 0 || value[0] != '"' {
		return "", errors.New("not a text")
	}
	if err := json.Unmarshal(value, &s); err != nil {
		return "", errors.New("not a text")
	}
	return s, nil
}

// elements returns the items of a JSON array whose text is known to be valid.
func elements(value json.RawMessage) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &items) != nil {
		return nil, errors.New("not a list")
	}
	return items, nil
}

// shorten returns at most n bytes of a text, whole characters, with an ellipsis where some are missing.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
