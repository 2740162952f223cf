package agent

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/paytwice/paytwice/resolver"
)

// The bounds of a file of recordings, unpacked; a small gzip file can claim to hold anything.
const (
	maxRecordingLine  = 4 << 20
	maxRecordingBytes = 512 << 20
)

// noteDiffers is what the trace says when an answer was found by its place, not by its request.
const noteDiffers = "the request differs from the recorded one"

// Recordings answers requests from recorded calls. It implements resolver.Model.
//
// The exact request comes first: a line with its key, this ticket's before another's, and among several
// the one of the repeat and step that are asked for (the same first request is recorded for every repeat).
// Else the line of the model, variant, ticket and step, of that repeat if it is recorded and of the lowest
// otherwise, with a note in the answer. Else there is no recording.
//
// Determinism: the answer depends on the request and on the lines in the order they were added.
// Concurrency: reads are safe; adding is not, and comes first.
type Recordings struct {
	lines  int
	byKey  map[string][]*recording
	places map[place]*placeIndex
}

var _ resolver.Model = (*Recordings)(nil)

// place is where a recording stands, but for its repeat.
type place struct {
	model, variant, ticket string
	step                   int
}

// NewRecordings returns an empty set.
func NewRecordings() *Recordings {
	return &Recordings{byKey: map[string][]*recording{}, places: map[place]*placeIndex{}}
}

// LoadRecordings reads every *.jsonl and *.jsonl.gz of a folder, in the order of their names.
//
// Errors: name the file and the line. A folder without such a file is one.
func LoadRecordings(fsys fs.FS, dir string) (*Recordings, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("recordings: %w", err)
	}
	r := NewRecordings()
	files := 0
	for _, entry := range entries {
		if entry.IsDir() || !isRecordingName(entry.Name()) {
			continue
		}
		files++
		if err := r.addFile(fsys, strings.TrimPrefix(dir+"/"+entry.Name(), "./")); err != nil {
			return nil, err
		}
	}
	if files == 0 {
		return nil, fmt.Errorf("recordings: no *.jsonl or *.jsonl.gz in %s", dir)
	}
	return r, nil
}

func isRecordingName(name string) bool {
	return strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")
}

func (r *Recordings) addFile(fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	return r.Add(name, f)
}

// Add reads one file of recordings, one JSON object a line; a name that ends in .gz says that it is packed.
// Empty lines and objects without a key are skipped.
//
// Errors: name the file and the line; the lines before it stay added.
func (r *Recordings) Add(name string, src io.Reader) error {
	if strings.HasSuffix(name, ".gz") {
		unpacked, err := gzip.NewReader(src)
		if err != nil {
			return fmt.Errorf("%s:1: %w", name, err)
		}
		src = unpacked
	}
	limited := &io.LimitedReader{R: src, N: maxRecordingBytes + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 0, 64<<10), maxRecordingLine)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		line, err := parseRecording(lines.Bytes())
		if cut := lines.Err(); err != nil && cut != nil {
			err = cut // A file that ends too early: its last line is a part of one.
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if line != nil {
			r.add(line)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	if limited.N <= 0 {
		return fmt.Errorf("%s:%d: more than %d bytes, unpacked", name, n, maxRecordingBytes)
	}
	return nil
}

func (r *Recordings) add(line *recording) {
	r.lines++
	r.byKey[line.key] = append(r.byKey[line.key], line)
	at := r.places[line.place]
	if at == nil {
		at = &placeIndex{}
		r.places[line.place] = at
	}
	at.add(line)
}

// Len returns the number of recorded calls.
func (r *Recordings) Len() int { return r.lines }

// Repeats returns the repeats that are recorded for the first step of a ticket, rising; none gives an empty
// list.
func (r *Recordings) Repeats(ticketID, variant, model string) []int {
	repeats := []int{}
	if at := r.places[place{model, variant, ticketID, 1}]; at != nil {
		for _, line := range at.lines {
			repeats = append(repeats, line.repeat)
		}
	}
	return slices.Compact(repeats)
}

// Complete implements resolver.Model. A recorded error is returned as it was: *resolver.ModelError with
// code provider_error; nothing recorded gives code no_recording.
func (r *Recordings) Complete(_ context.Context, q resolver.ModelRequest) (resolver.ModelResponse, error) {
	at := r.places[place{q.Body.Model, q.Variant, q.TicketID, q.Step}]
	if at == nil {
		return r.find(q, nil).answer(q)
	}
	if f, ok := at.remembered(q); ok {
		return f.answer(q)
	}
	f := r.find(q, at)
	at.remember(q, f)
	return f.answer(q)
}

// find looks a request up by the rules of Recordings.
func (r *Recordings) find(q resolver.ModelRequest, at *placeIndex) found {
	var best *recording
	for _, line := range r.byKey[RequestKey(q.Body)] {
		if best == nil || line.closeness(q) > best.closeness(q) {
			best = line
		}
	}
	if best != nil {
		return found{line: best}
	}
	if at != nil {
		return found{line: at.nearest(q.Repeat), differs: true}
	}
	return found{}
}

// found is what a look-up gave; a nil line is nothing.
type found struct {
	line    *recording
	differs bool
}

func (f found) answer(q resolver.ModelRequest) (resolver.ModelResponse, error) {
	if f.line == nil {
		return resolver.ModelResponse{}, &resolver.ModelError{Code: StopNoRecording, Message: fmt.Sprintf(
			"nothing recorded for %s, %s, %s, step %d", q.TicketID, q.Variant, q.Body.Model, q.Step)}
	}
	if f.line.failure != nil {
		return resolver.ModelResponse{}, f.line.failure
	}
	response := f.line.response
	response.ToolCalls = slices.Clone(response.ToolCalls)
	if f.differs {
		response.Note = noteDiffers
	}
	return response, nil
}
