package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// CheckKeys reports how the objects of a JSON text have keys that are not to be trusted: one that is there
// twice, or one that is not written as every key of this module is, in lower case. encoding/json takes the
// last of several, whatever its case, so such a text may show a reader something else than what is read.
//
// Errors: which key, and at which byte it ends; text that is no JSON.
func CheckKeys(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return checkKeys(dec)
}

// checkKeys reads one value.
func checkKeys(dec *json.Decoder) error {
	open, err := dec.Token()
	if err != nil {
		return err
	}
	if open != json.Delim('{') && open != json.Delim('[') {
		return nil
	}
	keys := map[string]bool{}
	for dec.More() {
		if open == json.Delim('{') {
			if err := checkKey(dec, keys); err != nil {
				return err
			}
		}
		if err := checkKeys(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

func checkKey(dec *json.Decoder, seen map[string]bool) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	key, _ := token.(string)
	if strings.ContainsFunc(key, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-", r) }) {
		return fmt.Errorf("%.40q, to byte %d, is no field's name: those are in lower case", key, dec.InputOffset())
	}
	if seen[key] {
		return fmt.Errorf("%.40q is there twice in one object, the second to byte %d", key, dec.InputOffset())
	}
	seen[key] = true
	return nil
}
