// Package sqltext says what a statement's text does to a transaction. It is a package of its own so that its fuzz
// target builds without a database.
package sqltext

import "strings"

// The operations of the seam sql.
const (
	Begin      = "begin"
	Commit     = "commit"
	Rollback   = "rollback"
	Savepoint  = "savepoint"
	Release    = "release"
	RollbackTo = "rollback_to"
	Exec       = "exec"
	Query      = "query"
)

// weight orders the operations by how much of a text's effect they decide.
func weight(operation string) int {
	switch operation {
	case Begin, Savepoint:
		return 1
	case Release, RollbackTo:
		return 2
	case Rollback:
		return 4
	case Commit:
		return 5
	default:
		return 3
	}
}

// Operation returns the operation of a statement's text, otherwise when it doesn't steer a transaction. A
// text of several statements is the weightiest of them: a commit, a rollback, a plain statement, then the
// rest. A stored program's body is not looked into.
//
// It reads the comments and quotes of SQLite, PostgreSQL and MySQL without knowing which it is. Where they
// differ it takes the reading that closes: comments nest if they close that way, and a backslash keeps a quote
// open after E, or if the quotes would not close otherwise. MySQL's # begins a comment only before a statement.
// It never fails: what it can't make out is a plain statement.
func Operation(query, otherwise string) string {
	best, bestWeight, escaped := otherwise, 0, escapedQuotes(query)
	for rest := query; ; {
		rest = skipBlank(rest)
		if rest == "" {
			return best
		}
		op, stored := statement(rest)
		if op == "" {
			op = otherwise
		}
		if w := weight(op); w > bestWeight {
			best, bestWeight = op, w
		}
		if stored {
			return best
		}
		rest = afterStatement(rest, escaped)
	}
}

// statement returns the operation of the first statement, and whether it is the definition of a stored
// program, whose body holds statements of its own.
func statement(text string) (op string, stored bool) {
	first, rest := nextWord(text)
	second, after := nextWord(rest)
	switch first {
	case "BEGIN":
		return Begin, false
	case "START":
		if second == "TRANSACTION" {
			return Begin, false
		}
	case "COMMIT":
		return Commit, false
	case "END":
		return Commit, false
	case "SAVEPOINT":
		return Savepoint, false
	case "RELEASE":
		return Release, false
	case "ABORT":
		return Rollback, false
	case "ROLLBACK":
		if second == "TRANSACTION" || second == "WORK" {
			second, _ = nextWord(after)
		}
		if second == "TO" {
			return RollbackTo, false
		}
		return Rollback, false
	case "PREPARE":
		if second == "TRANSACTION" {
			return Commit, false
		}
	case "XA":
		return xa[second], false
	case "CREATE":
		return "", definesProgram(rest)
	}
	return "", false
}

// xa are the operations of MySQL's distributed transactions.
var xa = map[string]string{"START": Begin, "BEGIN": Begin, "PREPARE": Commit, "COMMIT": Commit, "ROLLBACK": Rollback}

// definesProgram reports whether a statement that began with CREATE goes on with a kind of stored program.
func definesProgram(rest string) bool {
	for range 6 { // CREATE OR REPLACE TEMP DEFINER ... TRIGGER
		word, after := nextWord(rest)
		switch word {
		case "TRIGGER", "FUNCTION", "PROCEDURE", "EVENT", "PACKAGE":
			return true
		case "TABLE", "INDEX", "VIEW", "":
			return false
		}
		rest = after
	}
	return false
}

// nextWord returns the next word in capitals, empty when something else stands there, and what follows.
func nextWord(text string) (word, rest string) {
	text = skipBlank(text)
	end := 0
	for end < len(text) && end < 16 && isLetter(text[end]) {
		end++
	}
	return strings.ToUpper(text[:end]), text[end:]
}

// skipBlank cuts off leading blanks, comments and semicolons. An unclosed comment goes to the end.
func skipBlank(text string) string {
	for text != "" {
		n := 0
		switch {
		case isBlank(text[0]) || text[0] == ';':
			n = 1
		case text[0] == '#':
			n = until(text, 1, "\n")
		default:
			n = commentLen(text)
		}
		if n == 0 {
			return text
		}
		text = text[n:]
	}
	return text
}

// afterStatement returns what follows the first statement's semicolon, empty when nothing does.
func afterStatement(text, escaped string) string {
	if strings.IndexByte(text, ';') < 0 {
		return ""
	}
	for at := 0; at < len(text); {
		if text[at] == ';' {
			return text[at+1:]
		}
		at += max(commentLen(text[at:]), quotedLen(text[:at], text[at:], escaped), 1)
	}
	return ""
}

// commentLen returns the length of the comment that the text begins with, 0 when it begins with none.
func commentLen(text string) int {
	switch {
	case strings.HasPrefix(text, "--"):
		return until(text, 2, "\n")
	case strings.HasPrefix(text, "/*"):
		return blockLen(text)
	}
	return 0
}

// blockLen returns the length of a comment in /* and */, which holds others if they all close.
func blockLen(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch text[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return until(text, 2, "*/")
}

// quotedLen returns the length of the quoted piece that the text begins with, 0 when it begins with none. A
// doubled quote is two pieces side by side, which comes to the same.
func quotedLen(before, text, escaped string) int {
	switch text[0] {
	case '\'', '"':
		if strings.Contains(escaped, text[:1]) || text[0] == '\'' && endsInE(before) {
			return untilEscaped(text)
		}
		return until(text, 1, text[:1])
	case '`':
		return until(text, 1, "`")
	case '[': // a name in SQLite, and in PostgreSQL what chooses an element of what stands before it
		if before == "" || !isWord(before[len(before)-1]) && !strings.ContainsAny(before[len(before)-1:], `)]"`) {
			return until(text, 1, "]")
		}
	case '$':
		if end := strings.IndexByte(text[1:], '$'); end >= 0 && isTag(text[1:1+end]) {
			return until(text, end+2, text[:end+2])
		}
	}
	return 0
}

// escapedQuotes returns which quotes a backslash keeps open in a text: those that would not close otherwise.
func escapedQuotes(text string) (quotes string) {
	for _, quote := range []string{"'", `"`} {
		if strings.Contains(text, `\`+quote) && strings.Count(text, quote)%2 == 1 {
			quotes += quote
		}
	}
	return quotes
}

// endsInE reports whether a text ends in an E on its own, which makes PostgreSQL read backslashes.
func endsInE(text string) bool {
	n := len(text)
	return n > 0 && text[n-1]|0x20 == 'e' && (n == 1 || !isWord(text[n-2]))
}

// untilEscaped returns how far the text goes to the end of the quote that it begins with, where a backslash
// takes what follows it for itself.
func untilEscaped(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// until returns how far the text goes to the end of the closing mark, searched from an offset.
func until(text string, from int, mark string) int {
	if i := strings.Index(text[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(text)
}

func isTag(text string) bool {
	for i := range len(text) {
		if !isWord(text[i]) {
			return false
		}
	}
	return true
}

func isWord(b byte) bool { return isLetter(b) || b == '_' || b >= '0' && b <= '9' }

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isBlank(b byte) bool {
	return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\f' || b == '\v'
}
