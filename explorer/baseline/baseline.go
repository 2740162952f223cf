package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/paytwice/paytwice/explorer/history"
)

// Schema names the JSON form of a Baseline.
const Schema = "paytwice.baseline/1"

// The bounds of a baseline that is read.
const (
	MaxBytes   = 16 << 20
	maxClasses = 100_000
	maxName    = 200
)

// Baseline is the classes of violations that are known. The zero value knows none.
type Baseline struct {
	// Classes are in order, none twice.
	Classes []Known
}

// Known is a class with the searches that saw it, in order, none twice and at least one.
type Known struct {
	Class
	SeenBy []Search `json:"seen_by"`
}

// document is a baseline's JSON form.
type document struct {
	Schema  string  `json:"schema"`
	Classes []Known `json:"classes"`
}

// Encode returns the baseline as JSON: the same classes give the same bytes.
func (b Baseline) Encode() ([]byte, error) {
	d := document{Schema, b.Classes}
	if d.Classes == nil {
		d.Classes = []Known{}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return out.Bytes(), err
}

// Parse reads a baseline. What was edited by hand may stand in any order.
//
// Errors: whatever is no baseline of this form, with what is wrong.
func Parse(data []byte) (Baseline, error) {
	if len(data) > MaxBytes {
		return Baseline{}, fmt.Errorf("a baseline of more than %d bytes", MaxBytes)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Baseline{}, fmt.Errorf("no baseline: %w", err)
	}
	if head.Schema != Schema {
		return Baseline{}, fmt.Errorf("schema %.40q is not %s", head.Schema, Schema)
	}
	var d document
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return Baseline{}, fmt.Errorf("no baseline of this version: %w", err)
	}
	if d.Classes == nil {
		return Baseline{}, errors.New("it has no list of classes")
	}
	if len(d.Classes) > maxClasses {
		return Baseline{}, fmt.Errorf("more than %d classes", maxClasses)
	}
	b := Baseline{d.Classes}
	b.normalise()
	for i, k := range b.Classes {
		if err := k.check(); err != nil {
			return Baseline{}, err
		}
		if i > 0 && b.Classes[i-1].Class == k.Class {
			return Baseline{}, fmt.Errorf("class %s is there twice", k.Class)
		}
	}
	if err := history.CheckKeys(data); err != nil {
		return Baseline{}, err
	}
	return b, nil
}

// normalise puts classes and searches in order and leaves out what is there twice.
func (b *Baseline) normalise() {
	slices.SortFunc(b.Classes, func(a, b Known) int { return compare(a.Class, b.Class) })
	for i := range b.Classes {
		k := &b.Classes[i]
		slices.SortFunc(k.SeenBy, Search.compare)
		k.SeenBy = slices.CompactFunc(k.SeenBy, func(a, b Search) bool { return a.compare(b) == 0 })
	}
}

// check holds what a file says of a class against what a class can be. Its names are printed, so they are
// words.
func (k Known) check() error {
	for _, n := range []struct {
		field, text string
		needed      bool
	}{{"scenario", k.Scenario, true}, {"strategy", k.Strategy, false}, {"provider", k.Provider, false}, {"point", k.Point, true}, {"invariant", k.Invariant, true}} {
		if n.needed && n.text == "" {
			return fmt.Errorf("a class without %s", n.field)
		}
		if !isName(n.text) {
			return fmt.Errorf("%.80q is no %s", n.text, n.field)
		}
	}
	if len(k.SeenBy) == 0 {
		return fmt.Errorf("class %s does not say which search saw it", k.Class)
	}
	for _, s := range k.SeenBy {
		names := append([]string{s.Ticket, s.Recording, s.Mode}, s.Faults...)
		if s.Mode == "" || s.Crashes < 0 || slices.ContainsFunc(names, func(n string) bool { return !isName(n) }) {
			return fmt.Errorf("class %s was seen by what is no search", k.Class)
		}
	}
	return nil
}

// isName reports whether a text is short and can be shown as it is.
func isName(text string) bool {
	return len(text) <= maxName && !strings.ContainsFunc(text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsPrint(r) || strings.ContainsRune("|<>&`\\", r)
	})
}
