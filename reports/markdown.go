package reports

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
)

// markdownBytes bounds a Markdown report. GitHub drops a step summary over 1 MiB whole; the rest is left to
// what else a step says there.
const markdownBytes = 1000 << 10

// block is a piece of a Markdown page: a head, the rows below it, a foot. Rows may be left out, no more.
type block struct {
	head string
	rows []row
	foot string
}

// row is one line of a table or a list. Where not all fit, bad ones are kept before others.
type row struct {
	text string
	bad  bool
}

// writeBlocks writes a page that stays within the bound, and says under each table what was left out of it.
func writeBlocks(w io.Writer, blocks []block) error {
	kept := fitting(blocks, markdownBytes)
	var b strings.Builder
	for i, block := range blocks {
		b.WriteString(block.head)
		left := 0
		for j, r := range block.rows {
			if !kept[i][j] {
				left++
				continue
			}
			b.WriteString(r.text + "\n")
		}
		if left > 0 {
			b.WriteString(leftOut(left, len(block.rows)))
		}
		b.WriteString(block.foot)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func leftOut(left, all int) string {
	return fmt.Sprintf("\n**%s of %s rows are left out**: GitHub takes 1 MiB at most. `--format json` has them all.\n", thousands(int64(left)), thousands(int64(all)))
}

// fitting returns which rows fit into so many bytes beside what has to stand: the bad ones first, each kind
// in order.
func fitting(blocks []block, bytes int) [][]bool {
	kept := make([][]bool, len(blocks))
	for i, block := range blocks {
		kept[i] = make([]bool, len(block.rows))
		bytes -= len(block.head) + len(block.foot) + len(leftOut(len(block.rows), len(block.rows)))
	}
	for _, bad := range []bool{true, false} {
		for i, block := range blocks {
			for j, r := range block.rows {
				if r.bad == bad && len(r.text)+1 <= bytes {
					kept[i][j] = true
					bytes -= len(r.text) + 1
				}
			}
		}
	}
	return kept
}

// cell makes text inert in a Markdown table or list: no bar ends it, no mark-up starts in it, and GitHub
// makes no link, mention or formula of it.
func cell(text string) string {
	text = markdownEscapes.Replace(oneLine(text))
	if !strings.Contains(text, "_") {
		return text
	}
	return looseUnderscore().ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "_", `\_`) })
}

// A mention or a link is broken by a space without width, as Renovate does it: GitHub looks for them once
// entities are resolved.
var markdownEscapes = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", "\\*", "[", "\\[", "]", "\\]",
	"~", "\\~", "$", "&#36;", "@", "@&#8203;", "://", ":&#8203;//", "www.", "www&#8203;.", "WWW.", "WWW&#8203;.")

// looseUnderscore is one that could start or end an emphasis; inside a word it is only itself. Its classes are
// large: it is compiled by those who need it, not at each start of a child.
var looseUnderscore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[^\pL\pN])_+|_+($|[^\pL\pN])`) })

// code is text as a code span, to be copied as it stands. It is for lists: a bar would end a table's cell.
func code(text string) string {
	text = inert(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		text = " " + text + " "
	}
	return fence + text + fence
}

// tableHead is the head of a table; a column's name with a colon at its end is aligned to the right.
func tableHead(columns ...string) string {
	var names, lines strings.Builder
	for _, c := range columns {
		name, numbers := strings.CutSuffix(c, ":")
		names.WriteString("| " + cell(name) + " ")
		if numbers {
			lines.WriteString("|--:")
		} else {
			lines.WriteString("|---")
		}
	}
	return names.String() + "|\n" + lines.String() + "|\n"
}

// tableRow is a line of a table. Texts are made inert, numbers stand as they are.
func tableRow(cells ...any) string {
	var b strings.Builder
	for _, c := range cells {
		if text, ok := c.(string); ok {
			c = cell(text)
		}
		fmt.Fprintf(&b, "| %v ", c)
	}
	return b.String() + "|"
}
