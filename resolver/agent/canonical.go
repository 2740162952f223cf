package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// style is one way in which Python's json.dumps writes, always with sorted keys. encoding/json gives other
// bytes, hence other keys and digests.
type style struct {
	comma, colon string
	ascii        bool
}

var (
	// spaced is Python's default: the state digest hashes it.
	spaced = style{comma: ", ", colon: ": ", ascii: true}
	// compact has no blanks and leaves UTF-8 as it is: the request key hashes it.
	compact = style{comma: ",", colon: ":"}
)

// appendRaw appends a JSON text in the style. Numbers keep the text they came with.
func (st style) appendRaw(b []byte, raw []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return b, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return b, errors.New("more than one JSON value")
	}
	return st.appendValue(b, v), nil
}

func (st style) appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case json.Number:
		return append(b, v...)
	case string:
		return st.appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, st.comma...)
			}
			b = st.appendValue(b, item)
		}
		return append(b, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, st.comma...)
			}
			b = st.appendString(b, k)
			b = append(b, st.colon...)
			b = st.appendValue(b, v[k])
		}
		return append(b, '}')
	}
	panic("canonical: a value that encoding/json does not decode to")
}

// appendString copies stretches that need no escape in one go: most of a request is such text.
func (st style) appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && (c < utf8.RuneSelf || !st.ascii) {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		r, size := utf8.DecodeRuneInString(s[i:])
		b = appendEscape(b, r)
		i += size
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	}
	if r > 0xffff {
		hi, lo := utf16.EncodeRune(r)
		return appendHex(appendHex(b, hi), lo)
	}
	return appendHex(b, r)
}

func appendHex(b []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}
