package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/paytwice/paytwice/explorer/history"
)

// Sealed returns the part that a document says it is with the checksum of the document; nil for a whole one.
// Its own part stays as it is.
func (d Document) Sealed() *history.Part {
	if d.Part() == nil {
		return nil
	}
	p := *d.Part()
	p.Checksum = d.sum()
	return &p
}

// sum is the checksum of what a document holds, but for the checksum itself. How the JSON is laid out does not
// matter, and one search sums up as a list of one.
func (d Document) sum() string {
	p := *d.Part()
	p.Checksum = ""
	var held any
	if d.Matrix != nil {
		m := *d.Matrix
		m.Part, held = &p, &m
	} else {
		e := *d.Explorations
		e.Part, held = &p, &e
	}
	hash := sha256.New()
	// Neither encoding words and numbers nor writing to a hash can fail.
	_ = json.NewEncoder(hash).Encode(held)
	return hex.EncodeToString(hash.Sum(nil))
}

func (d Document) checkSum() error {
	if p := d.Part(); p != nil && p.Checksum != d.sum() {
		return errors.New("it is not as it was written: its checksum is another. Parts are joined unchanged, or made again")
	}
	return nil
}
