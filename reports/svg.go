package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// drawing builds an SVG picture out of rectangles, texts and paths. Every text is escaped on its way in, and
// nothing in it moves, runs or loads.
type drawing struct {
	body          strings.Builder
	width, height int
}

// escaped is text from outside as XML character data or a quoted attribute.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(oneLine(text))) // A strings.Builder takes everything.
	return b.String()
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.body, format+"\n", args...) }

func (d *drawing) text(x, y int, class, text string) {
	d.add(`<text x="%d" y="%d" class="%s">%s</text>`, x, y, class, escaped(text))
}

func (d *drawing) rect(x, y, w, h int, class string) {
	d.add(`<rect x="%d" y="%d" width="%d" height="%d" rx="4" class="%s"/>`, x, y, w, h, class)
}

// mark draws a kind's shape around a point: who can't tell the colours apart can tell the shapes.
func (d *drawing) mark(k markKind, x, y int) {
	d.add(`<path d="%s" transform="translate(%d %d)" class="%s"/>`, marks[k].path, x, y, k)
}

// write writes the picture with a title and a description for those who don't see it.
func (d *drawing) write(w io.Writer, title, description string) error {
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="t d">
<title id="t">%s</title>
<desc id="d">%s</desc>
<style>
%s</style>
<rect width="100%%" height="100%%" rx="8" class="page"/>
%s</svg>
`, d.width, d.height, d.width, d.height, escaped(title), escaped(description), styleSheet(), d.body.String())
	return err
}

// markKind says how a cell ended, as far as a picture tells.
type markKind string

// The kinds of marks, from the best to the worst; what is not known comes after them all.
const (
	markSafe   markKind = "safe"
	markPerson markKind = "person"
	markOther  markKind = "other"
	markLost   markKind = "lost"
	markDouble markKind = "double"
	markOpen   markKind = "open"
)

// colours are a kind's text and ground, on a light page and on a dark one.
type colours struct{ ink, ground, darkInk, darkGround string }

// marks holds each kind's shape, around 0 0, its word and its colours. Each ink is readable on its ground.
var marks = map[markKind]struct {
	path, word string
	colours
}{
	markSafe:   {"M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0", "safe", colours{"#116329", "#dafbe1", "#7ee787", "#12261e"}},
	markPerson: {"M0 -7L7 0L0 7L-7 0Z", "a person decides", colours{"#7d4e00", "#fff8c5", "#e3b341", "#272115"}},
	markOther:  {"M0 -7L7 6L-7 6Z", "another violation", colours{"#6639ba", "#fbefff", "#d2a8ff", "#211830"}},
	markLost:   {"M-6 -4L-4 -6L0 -2L4 -6L6 -4L2 0L6 4L4 6L0 2L-4 6L-6 4L-2 0Z", "lost", colours{"#953800", "#fff1e5", "#ffa657", "#2b1d10"}},
	markDouble: {"M-7 -6H-1V6H-7ZM1 -6H7V6H1Z", "twice", colours{"#a40e26", "#ffebe9", "#ff9492", "#2d1214"}},
	markOpen:   {"M-6 -2H6V2H-6Z", "undecided", colours{"#424a53", "#eaeef2", "#adbac7", "#22272e"}},
}

// markOrder is the order of the legend.
var markOrder = []markKind{markSafe, markPerson, markOther, markLost, markDouble, markOpen}

// The page's own colours, outside the marks.
var pageColours = colours{ink: "#1f2328", ground: "#ffffff", darkInk: "#e6edf3", darkGround: "#0d1117"}

func styleSheet() string {
	var light, dark strings.Builder
	rules := func(b *strings.Builder, class, ink, ground string) {
		fmt.Fprintf(b, "rect.%s{fill:%s}text.%s,path.%s{fill:%s}\n", class, ground, class, class, ink)
	}
	rules(&light, "page", pageColours.ink, pageColours.ground)
	rules(&dark, "page", pageColours.darkInk, pageColours.darkGround)
	for _, k := range markOrder {
		c := marks[k].colours
		rules(&light, string(k), c.ink, c.ground)
		rules(&dark, string(k), c.darkInk, c.darkGround)
	}
	return "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n.big{font-size:17px;font-weight:700}\n.small{font-size:11px}\n.head{font-weight:700}\n" +
		light.String() + "@media(prefers-color-scheme:dark){\n" + dark.String() + "}\n"
}
