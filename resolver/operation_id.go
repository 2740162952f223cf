package resolver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
)

// OperationID returns the name of one intended change: the first 16 hex digits of the SHA-256 of the
// ticket and the exact action. The same intent has the same id in every attempt, process and run, so a
// service that keeps a register of ids can tell a repeat from a new request.
//
// Determinism: a pure function of its arguments.
// Source: lesson "Side effects and retries", operation_id.
func OperationID(ticketID string, a Action) string {
	return hash16(canonicalJSON(a.fields(ticketID)))
}

// RecordID returns the id of the record an operation leaves: a prefix of the tool and the first 8 hex
// digits, upper case, of the SHA-256 of the operation id ("manual-1" gives RF-4CFEAE8E).
func RecordID(tool Tool, operationID string) string {
	prefix := map[Tool]string{RequestRefund: "RF-", CreateReturnLabel: "RL-", ReshipItem: "RS-", AddNote: "TN-"}[tool]
	sum := sha256.Sum256([]byte(operationID))
	return prefix + strings.ToUpper(hex.EncodeToString(sum[:4]))
}

func hash16(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// fields holds exactly what the operation id hashes: an absent payment is null, not missing.
func (a Action) fields(ticketID string) map[string]any {
	f := map[string]any{"ticket": ticketID, "tool": string(a.Tool), "order_id": a.OrderID}
	switch a.Tool {
	case RequestRefund:
		f["amount"] = pythonAmount(a.AmountCents)
		f["reason_code"] = a.ReasonCode
		f["payment_id"] = nil
		if a.PaymentID != "" {
			f["payment_id"] = a.PaymentID
		}
	case ReshipItem:
		f["sku"], f["quantity"] = a.SKU, a.Quantity
	case CreateReturnLabel:
		f["sku"], f["reason"] = a.SKU, a.Reason
	}
	return f
}

// pythonAmount is an amount that prints as Python prints a float: 9.95, 119.0, 22.0.
type pythonAmount int64

func (p pythonAmount) String() string {
	text := strings.TrimRight(FormatCents(int64(p)), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text
}

// canonicalJSON writes a value as Python's json.dumps(sort_keys=True) does: keys sorted, ", " and
// ": " between, everything but printable ASCII escaped. encoding/json gives other bytes, hence other ids.
func canonicalJSON(v any) string {
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func writeCanonical(b *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case int:
		b.WriteString(strconv.Itoa(v))
	case pythonAmount:
		b.WriteString(v.String())
	case string:
		writeCanonicalString(b, v)
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			writeCanonical(b, item)
		}
		b.WriteByte(']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		b.WriteByte('{')
		for i, k := range keys {
			if i > 0 {
				b.WriteString(", ")
			}
			writeCanonicalString(b, k)
			b.WriteString(": ")
			writeCanonical(b, v[k])
		}
		b.WriteByte('}')
	default:
		panic(fmt.Sprintf("canonical JSON of %T", v))
	}
}

func writeCanonicalString(b *strings.Builder, s string) {
	b.WriteByte('"')
	plain := strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f || r == '"' || r == '\\' })
	if plain < 0 {
		plain = len(s)
	}
	b.WriteString(s[:plain])
	for _, r := range s[plain:] {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r < 0x20:
			fmt.Fprintf(b, `\u%04x`, r)
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
}
