package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/paytwice/paytwice/resolver"
)

// StateDigest returns the first 8 hex digits of the SHA-256 over a list of [tool, arguments, ok, code], one
// per evidence, as Python's json.dumps writes it with sorted keys. An absent code is null.
//
// Determinism: a pure function.
func StateDigest(evidence []resolver.Evidence) string {
	b := make([]byte, 0, 256)
	b = append(b, '[')
	for i, e := range evidence {
		if i > 0 {
			b = append(b, spaced.comma...)
		}
		b = spaced.appendString(append(b, '['), e.Tool)
		b = append(b, spaced.comma...)
		b = appendArguments(b, e.Arguments)
		b = append(b, spaced.comma...)
		b = strconv.AppendBool(b, e.OK)
		b = append(b, spaced.comma...)
		if e.Code == "" {
			b = append(b, "null"...)
		} else {
			b = spaced.appendString(b, e.Code)
		}
		b = append(b, ']')
	}
	b = append(b, ']')
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:4])
}

func appendArguments(b []byte, raw []byte) []byte {
	if string(raw) == "{}" {
		return append(b, "{}"...)
	}
	// A read's arguments are one text, and this runs for every evidence at every step.
	if o, err := members(raw); err == nil && len(o) == 1 && o[0].value[0] == '"' {
		if value, err := text(o[0].value); err == nil {
			b = append(spaced.appendString(append(b, '{'), o[0].name), spaced.colon...)
			return append(spaced.appendString(b, value), '}')
		}
	}
	out, err := spaced.appendRaw(b, raw)
	if err != nil {
		return append(b, "null"...)
	}
	return out
}
