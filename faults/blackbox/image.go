package blackbox

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/paytwice/paytwice/faults"
)

// Image is one folder that a power cut could leave.
type Image struct {
	Cut Cut
	// Acked are the effects that had been acknowledged before the cut, in order.
	Acked []string

	detail string
	state  any
	key    string
	folder folder
}

// Write makes a folder with the image's content, in the place of what is there.
func (im Image) Write(dir string) error { return im.folder.write(dir) }

// File returns the bytes of a file of the image, nil if there is none.
func (im Image) File(path string) []byte {
	data, ok := im.folder.file(path)
	if !ok {
		return nil
	}
	return append([]byte{}, data...)
}

// Lost says what the cut took away, for people.
func (im Image) Lost() string { return im.detail }

// Cut names a power cut and what it takes away. Operations are numbered in the order of the recorded run,
// from 1; one call makes one operation, rarely two.
type Cut struct {
	// At is the point of the last call that was done: after it, or before the first call.
	At faults.Point
	// Ops counts the operations that were done.
	Ops int
	// Lost are the numbers of the lost operations on data.
	Lost []int
	// Names counts the lost operations on names, the last ones.
	Names int
	// Torn is the number of the write of which only TornBytes stay; 0 for none.
	Torn      int
	TornBytes int
	// State counts the provider's states before the one met.
	State int
}

const cutVerb = "power-loss"

// String returns the cut as one line that ParseCut reads back:
//
//	power-loss sys.fsync[db]/after#3 ops=12 lost=9,11 names=1 torn=12@512 state=2
func (c Cut) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s ops=%d", cutVerb, c.At, c.Ops)
	for i, n := range c.Lost {
		if i == 0 {
			b.WriteString(" lost=")
		} else {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(n))
	}
	if c.Names > 0 {
		fmt.Fprintf(&b, " names=%d", c.Names)
	}
	if c.Torn > 0 {
		fmt.Fprintf(&b, " torn=%d@%d", c.Torn, c.TornBytes)
	}
	if c.State > 0 {
		fmt.Fprintf(&b, " state=%d", c.State)
	}
	return b.String()
}

// ParseCut returns the cut of its text.
func ParseCut(text string) (Cut, error) {
	words := strings.Fields(text)
	if len(words) < 3 || words[0] != cutVerb {
		return Cut{}, fmt.Errorf("%w: %q is no power cut", ErrConfig, text)
	}
	var c Cut
	var err error
	if c.At, err = faults.ParsePoint(words[1]); err != nil {
		return Cut{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	for _, w := range words[2:] {
		if !c.set(w) {
			return Cut{}, fmt.Errorf("%w: %q in a power cut", ErrConfig, w)
		}
	}
	return c, nil
}

func (c *Cut) set(word string) bool {
	key, value, _ := strings.Cut(word, "=")
	number := func(text string, into *int) bool {
		n, err := strconv.Atoi(text)
		*into = n
		return err == nil && n >= 0
	}
	switch key {
	case "ops":
		return number(value, &c.Ops)
	case "names":
		return number(value, &c.Names)
	case "state":
		return number(value, &c.State)
	case "torn":
		op, bytes, ok := strings.Cut(value, "@")
		return ok && number(op, &c.Torn) && number(bytes, &c.TornBytes)
	case "lost":
		for _, part := range strings.Split(value, ",") {
			n := 0
			if !number(part, &n) {
				return false
			}
			c.Lost = append(c.Lost, n)
		}
		return true
	}
	return false
}

// ImageSet is the folders that a power cut could leave, once each.
type ImageSet struct {
	// Variants counts the cuts that were looked at, Distinct the different folders among them, LeftOut
	// those beyond the limit of images.
	Variants, Distinct, LeftOut int
	// Operations counts what the recorded run did to files and names.
	Operations int
	// Caps says in words what bounds the model, and which bounds were reached.
	Caps string

	log    *powerLog
	chosen []found
}

// Images returns the folders that a power cut could leave during a run that was recorded with PowerLoss
// set. Zero limits mean the defaults.
//
// Determinism: the same trace gives the same images in the same order.
func Images(t *Trace, limits PowerLimits) (*ImageSet, error) {
	if t.log == nil {
		return nil, fmt.Errorf("%w: the run was not recorded for power loss", ErrConfig)
	}
	limits = limits.withDefaults()
	s := enumerate(t.log, limits)
	set := &ImageSet{Variants: min(s.variants, limits.Variants), Distinct: len(s.list), log: t.log, Caps: limits.String()}
	set.chosen, set.LeftOut = s.choose()
	for _, op := range t.log.ops {
		if op.kind != opSay {
			set.Operations++
		}
	}
	if set.LeftOut > 0 {
		set.Caps += fmt.Sprintf("; %d more folders left out", set.LeftOut)
	}
	if s.full {
		set.Caps += fmt.Sprintf("; stopped after %d cuts looked at", limits.Variants)
	}
	if t.log.truncated {
		set.Caps += fmt.Sprintf("; the log was full at %d MiB", maxLogBytes>>20)
	}
	return set, nil
}

// Len returns how many images All yields.
func (s *ImageSet) Len() int { return len(s.chosen) }

// All yields the images in the order of their cuts.
func (s *ImageSet) All() iter.Seq[Image] {
	return func(yield func(Image) bool) {
		d := newDisk(s.log)
		done := 0
		for _, f := range s.chosen {
			for ; done < f.recipe.ops; done++ {
				d.do(done)
			}
			if !yield(s.image(d, f.recipe)) {
				return
			}
		}
	}
}

func (s *ImageSet) image(d *disk, r recipe) Image {
	im := Image{Cut: s.cutOf(r)}
	im.folder = build(d.namesAfter(r.loss.names), func(f int) ([]byte, int) {
		return d.content(f, r.loss), d.changed(f, r.loss)
	})
	for _, p := range s.log.acks {
		if p.ops <= r.ops {
			im.Acked = append(im.Acked, p.effect)
		}
	}
	if r.state < len(s.log.states) {
		im.state, im.key = s.log.states[r.state].state, s.log.states[r.state].key
	}
	im.detail = s.describe(d, r)
	return im
}

func (s *ImageSet) cutOf(r recipe) Cut {
	c := Cut{At: s.log.calls[0].Point(faults.Before), Ops: r.ops, Names: r.loss.names, State: r.state, TornBytes: r.loss.at}
	if r.ops > 0 {
		c.At = s.log.calls[s.log.ops[r.ops-1].call].Point(faults.After)
	}
	for _, i := range r.loss.lost {
		c.Lost = append(c.Lost, i+1)
	}
	if r.loss.torn >= 0 {
		c.Torn = r.loss.torn + 1
	}
	return c
}

// describe says what a cut took away. Long lists are cut short.
func (s *ImageSet) describe(d *disk, r recipe) string {
	var parts []string
	for _, i := range r.loss.lost {
		parts = append(parts, s.log.calls[s.log.ops[i].call].String())
	}
	for _, i := range d.moves[len(d.moves)-r.loss.names:] {
		text := s.log.calls[s.log.ops[i].call].String()
		if s.log.ops[i].kind.names() {
			text += " (a name)"
		}
		parts = append(parts, text)
	}
	if len(parts) > 6 {
		parts = append(slices.Clone(parts[:5]), fmt.Sprintf("%d more", len(parts)-5))
	}
	if t := r.loss.torn; t >= 0 {
		parts = append(parts, fmt.Sprintf("all but %d bytes of %s", r.loss.at, s.log.calls[s.log.ops[t].call]))
	}
	if len(parts) == 0 {
		return "nothing lost"
	}
	return "lost: " + strings.Join(parts, ", ")
}

// find returns the image of a cut.
func (s *ImageSet) find(c Cut) (Image, error) {
	r := recipe{ops: c.Ops, state: c.State, loss: loss{names: c.Names, torn: c.Torn - 1, at: c.TornBytes}}
	for _, n := range c.Lost {
		r.loss.lost = append(r.loss.lost, n-1)
	}
	if c.Ops > len(s.log.ops) || s.cutOf(r).At != c.At || c.State >= max(len(s.log.states), 1) || !s.canTear(r.loss) {
		return Image{}, &NotReachedError{c.At, len(s.log.calls), "has no such cut in its recorded run"}
	}
	if slices.Contains(c.Lost, 0) || !slices.IsSorted(c.Lost) || len(slices.Compact(slices.Clone(c.Lost))) < len(c.Lost) {
		return Image{}, fmt.Errorf("%w: a power cut names each lost operation once, in order", ErrConfig)
	}
	d := newDisk(s.log)
	for i := range c.Ops {
		d.do(i)
	}
	for _, i := range append(slices.Clone(r.loss.lost), r.loss.torn) {
		if i >= 0 && !slices.Contains(d.data, i) {
			return Image{}, &NotReachedError{c.At, len(s.log.calls), fmt.Sprintf("had made operation %d durable by then", i+1)}
		}
	}
	if c.Names > len(d.moves) {
		return Image{}, &NotReachedError{c.At, len(s.log.calls), "had made the names durable by then"}
	}
	return s.image(d, r), nil
}

// canTear reports whether a loss tears no write, or one that is longer than what stays of it.
func (s *ImageSet) canTear(l loss) bool {
	return l.torn < 0 || l.torn < len(s.log.ops) && l.at < len(s.log.ops[l.torn].data)
}
