package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// picture is a table to be drawn: a line a row, a coloured cell a column.
type picture struct {
	title, summary string
	// legendNote says what the numbers of a cell are.
	legendNote string
	corner     string
	columns    []string
	rows       []pictureRow
	notes      []string
}

type pictureRow struct {
	label string
	cells []pictureCell
}

// pictureCell is one cell; without a kind there is none. About is told where a pointer rests.
type pictureCell struct {
	kind              markKind
	big, small, about string
}

// bad reports a row with a cell that is neither safe nor a person's.
func (r pictureRow) bad() bool {
	for _, c := range r.cells {
		if c.kind != "" && c.kind != markSafe && c.kind != markPerson {
			return true
		}
	}
	return false
}

// How much a picture shows; what it leaves out is said below it.
const (
	mostPictureRows    = 200
	mostPictureColumns = 24
	mostLabel          = 60
)

// The measures of a picture, in pixels. A sign of the 13-pixel type is 8 wide, of the 11-pixel type 7.
const (
	sign, smallSign = 8, 7
	margin          = 20
	lineHeight      = 20
	cellHeight      = 44
	gap             = 4
	leastColumn     = 110
)

// bound leaves out what is too much for a picture: bad rows stay before others.
func (p *picture) bound() {
	if n := len(p.columns) - mostPictureColumns; n > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%s left out: --format json has them", plural(int64(n), "column")))
		p.columns = p.columns[:mostPictureColumns]
		for i := range p.rows {
			p.rows[i].cells = p.rows[i].cells[:mostPictureColumns]
		}
	}
	n := len(p.rows) - mostPictureRows
	if n <= 0 {
		return
	}
	p.notes = append(p.notes, fmt.Sprintf("%s left out: --format json has them", plural(int64(n), "row")))
	bad := 0
	for _, r := range p.rows {
		if r.bad() {
			bad++
		}
	}
	room := map[bool]int{true: min(bad, mostPictureRows), false: mostPictureRows - min(bad, mostPictureRows)}
	var kept []pictureRow
	for _, r := range p.rows {
		if room[r.bad()] > 0 {
			room[r.bad()]--
			kept = append(kept, r)
		}
	}
	p.rows = kept
}

// width is how wide a text is, in signs of a fixed-width type.
func width(s string) int { return text.StringWidth(s) }

// draw writes the picture.
func (p picture) draw(w io.Writer) error {
	p.bound()
	d := &drawing{}
	left := margin + width(cut(inert(p.corner), mostLabel))*sign
	for i := range p.rows {
		p.rows[i].label = cut(inert(p.rows[i].label), mostLabel)
		left = max(left, margin+width(p.rows[i].label)*sign)
	}
	left += 2 * sign
	columns := p.columnWidths()
	y := p.drawHead(d)
	d.text(margin, y, "page head", cut(p.corner, mostLabel))
	x := left
	for i, name := range p.columns {
		d.text(x, y, "page head", cut(name, mostLabel))
		x += columns[i] + gap
	}
	right := x
	y += 10
	for _, r := range p.rows {
		d.text(margin, y+cellHeight/2+5, "page", r.label)
		x = left
		for i, c := range r.cells {
			c.draw(d, x, y, columns[i])
			x += columns[i] + gap
		}
		y += cellHeight + gap
	}
	y += lineHeight
	for _, line := range append(p.notes, p.summary) {
		d.text(margin, y, "page", cut(line, 2*mostLabel))
		right = max(right, margin+width(cut(inert(line), 2*mostLabel))*sign)
		y += lineHeight
	}
	d.width, d.height = max(right, d.width)+margin, y
	return d.write(w, p.title, p.description())
}

// drawHead draws the title and the legend of the marks that there are, and returns where the table starts.
func (p picture) drawHead(d *drawing) int {
	y := margin + 12
	d.text(margin, y, "page head", cut(p.title, 2*mostLabel))
	d.width = margin + width(cut(inert(p.title), 2*mostLabel))*sign
	y += lineHeight + 6
	x := margin
	for _, k := range p.kinds() {
		d.mark(k, x+7, y-5)
		d.text(x+20, y, string(k), marks[k].word)
		x += 20 + width(marks[k].word)*sign + 2*sign
	}
	d.text(x, y, "page small", p.legendNote)
	d.width = max(d.width, x+width(p.legendNote)*smallSign)
	return y + lineHeight + 10
}

// kinds are the marks that the picture has, in the order of the legend.
func (p picture) kinds() []markKind {
	seen := map[markKind]bool{}
	for _, r := range p.rows {
		for _, c := range r.cells {
			seen[c.kind] = true
		}
	}
	var out []markKind
	for _, k := range markOrder {
		if seen[k] {
			out = append(out, k)
		}
	}
	return out
}

func (p picture) columnWidths() []int {
	out := make([]int, len(p.columns))
	for i, name := range p.columns {
		out[i] = max(leastColumn, width(cut(inert(name), mostLabel))*sign+sign)
		for _, r := range p.rows {
			out[i] = max(out[i], width(cut(inert(r.cells[i].small), mostLabel))*smallSign+16, 34+width(r.cells[i].big)*11)
		}
	}
	return out
}

// description tells the picture in words: the summary, then each row.
func (p picture) description() string {
	parts := []string{p.summary}
	for _, r := range p.rows {
		for _, c := range r.cells {
			if c.kind != "" {
				parts = append(parts, c.about)
			}
		}
	}
	return strings.Join(parts, "; ")
}

func (c pictureCell) draw(d *drawing, x, y, w int) {
	if c.kind == "" {
		d.text(x+8, y+cellHeight/2+5, "page", "-")
		return
	}
	d.add("<g><title>%s</title>", escaped(c.about))
	d.rect(x, y, w, cellHeight, string(c.kind))
	d.mark(c.kind, x+15, y+15)
	d.text(x+30, y+21, "big "+string(c.kind), c.big)
	d.text(x+8, y+37, "small "+string(c.kind), cut(c.small, mostLabel))
	d.add("</g>")
}
