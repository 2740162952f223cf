package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/paytwice/paytwice/explorer/history"
)

// MaxBytes bounds a report that is read.
const MaxBytes = 256 << 20

// maxSettings and maxPlans bound what a report may say of its run, so that sums of them stay numbers.
const (
	maxSettings = 1_000_000
	maxPlans    = 1_000_000
)

// Document is a report that may be a part of a run: a matrix or searches, whichever is not nil.
type Document struct {
	File         string
	Matrix       *history.Matrix
	Explorations *history.Explorations
}

// Part returns which part of its run the document is, nil where it is whole.
func (d Document) Part() *history.Part {
	if d.Matrix != nil {
		return d.Matrix.Part
	}
	return d.Explorations.Part
}

// Shard returns which shard the document says it is; a shard that does not parse is the whole run's.
func (d Document) Shard() Shard {
	text := ""
	if d.Matrix != nil {
		text = d.Matrix.Shard
	} else {
		text = d.Explorations.Shard
	}
	s, _ := ParseShard(text)
	return s
}

// Read reads the report in a file.
//
// Errors: *WrongError for whatever is no report of this program.
func Read(file string) (Document, error) {
	f, err := os.Open(file)
	if err != nil {
		if path := new(fs.PathError); errors.As(err, &path) {
			err = path.Err
		}
		return Document{}, &WrongError{file, err}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return Document{}, wrong(file, "can't be read: %w", errors.Unwrap(err))
	}
	d, err := Parse(data)
	if err != nil {
		return d, &WrongError{file, err}
	}
	d.File = file
	return d, nil
}

// Parse reads a report. A field that this version does not know is an error: leaving it out would change
// what the parts add up to. So is a part that is not what its checksum says.
func Parse(data []byte) (Document, error) {
	d, err := parse(data)
	if err == nil {
		err = d.checkSum()
	}
	if err != nil {
		return Document{}, err
	}
	return d, nil
}

func parse(data []byte) (Document, error) {
	var d Document
	if len(data) > MaxBytes {
		return d, fmt.Errorf("a report of more than %d bytes", MaxBytes)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return d, fmt.Errorf("no report: %w", err)
	}
	var err error
	switch head.Schema {
	case history.MatrixSchema:
		d.Matrix = &history.Matrix{}
		err = strict(data, d.Matrix)
	case history.ExplorationsSchema:
		d.Explorations = &history.Explorations{}
		err = strict(data, d.Explorations)
	case history.ExploreSchema:
		var e history.Exploration
		err = strict(data, &e)
		d.Explorations = &history.Explorations{Schema: history.ExplorationsSchema, Part: e.Part}
		e.Part = nil
		d.Explorations.Runs = []history.Exploration{e}
	default:
		err = fmt.Errorf("schema %.40q is none of %s, %s, %s", head.Schema, history.MatrixSchema, history.ExploreSchema, history.ExplorationsSchema)
	}
	if err != nil {
		return Document{}, err
	}
	return d, d.check()
}

func strict(data []byte, to any) error {
	if err := history.CheckKeys(data); err != nil {
		return fmt.Errorf("no report: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(to); err != nil {
		return fmt.Errorf("no report of this version: %w", err)
	}
	return nil
}

// check holds a document against what it says of itself.
func (d Document) check() error {
	p := d.Part()
	text := ""
	if d.Matrix != nil {
		text = d.Matrix.Shard
	} else {
		text = d.Explorations.Shard
	}
	if text != "" {
		if _, err := ParseShard(text); err != nil {
			return err
		}
		if p == nil {
			return fmt.Errorf("it is shard %s and does not say of what", text)
		}
	}
	if p == nil {
		return nil
	}
	if p.Settings < 1 || p.Settings > maxSettings {
		return fmt.Errorf("a run of %d settings", p.Settings)
	}
	if d.Matrix != nil {
		pieces, err := split(d.Matrix.Cells, p)
		return errors.Join(err, noneTwice(pieces))
	}
	for _, c := range p.Cases {
		if c.Plans != 1 || c.Items != 1 {
			return fmt.Errorf("case %d.%d is %d searches of %d: each is one of one", c.Setting, c.Plan, c.Items, c.Plans)
		}
	}
	pieces, err := split(d.Explorations.Runs, p)
	return errors.Join(err, noneTwice(pieces))
}

func noneTwice[T any](pieces []Piece[T]) error {
	if c, found := twice(pieces); found {
		return fmt.Errorf("case %d.%d is there twice", c.Setting, c.Plan)
	}
	return nil
}
