package blackbox

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"sync"
)

// A folder may hold its own path: in a link that leads into it, or in what a file holds. Elsewhere that would lead
// into the folder of another worker, so such a state goes on only where it was made. To put another path there
// instead would break the checksums of what holds it.

// home returns where a folder must stay, which is where it lies, or nothing if it means the same anywhere.
func (f folder) home(root string) string {
	for i := range f {
		if f[i].holds(root) {
			return root
		}
	}
	return ""
}

func (e *entry) holds(text string) bool {
	for _, a := range e.attributes {
		if strings.Contains(a.value, text) {
			return true
		}
	}
	return bytes.Contains(e.data, []byte(text))
}

// sum returns the digest of an entry's bytes, the same wherever the folder lies.
func (e *entry) sum(root string) digest {
	if root == "" || !bytes.Contains(e.data, []byte(root)) {
		return sha256.Sum256(e.data)
	}
	return sha256.Sum256(bytes.ReplaceAll(e.data, []byte(root), []byte("\x00here")))
}

// places are the folders of a bench that are in use.
type places struct{ taken sync.Map }

// take waits for a worker's folder, or for the one that a state must stay in. The returned function gives it back.
func (b *bench) take(worker int, home string) (root string, release func()) {
	if root = home; root == "" {
		root = b.place(worker)
	}
	lock, _ := b.places.taken.LoadOrStore(root, &sync.Mutex{})
	lock.(*sync.Mutex).Lock()
	return root, lock.(*sync.Mutex).Unlock
}
