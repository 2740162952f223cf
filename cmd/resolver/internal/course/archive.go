package course

import (
	"archive/zip"
	"bytes"
	"strings"
)

// archive is the file that an import keeps, while it is made.
type archive struct {
	buffer *bytes.Buffer
	zip    *zip.Writer
}

func newArchive() *archive {
	b := &bytes.Buffer{}
	return &archive{buffer: b, zip: zip.NewWriter(b)}
}

// add puts a file into the archive. No time goes with it: the same course gives the same bytes.
func (a *archive) add(name string, content []byte) error {
	method := zip.Deflate
	if strings.HasSuffix(name, ".gz") {
		method = zip.Store
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func (a *archive) close() ([]byte, error) {
	err := a.zip.Close()
	return a.buffer.Bytes(), err
}
