//go:build !unix

package child

import (
	"errors"
	"io/fs"
)

func makeSpecial(string, fs.FileInfo) error { return errors.ErrUnsupported }
