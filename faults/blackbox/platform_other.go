//go:build !(linux && amd64)

package blackbox

import (
	"context"
	"io/fs"
)

// Available returns ErrPlatform: programs can be crashed on linux/amd64 only.
func Available() error { return ErrPlatform }

func runLife(context.Context, *lifeSpec) (*lifeResult, error) { return nil, ErrPlatform }

func hasRoom(string, uint64) bool { return true }

func makeSpecial(string, entryKind, uint32) error { return ErrPlatform }

func severalNames(fs.FileInfo) (inode, bool) { return inode{}, false }

func readAttributes(string, fs.FileInfo) ([]attribute, error) { return nil, ErrPlatform }
func writeAttributes(string, []attribute) error               { return ErrPlatform }

func newRecorder(string, folder) (*recorder, error) { return nil, ErrPlatform }
