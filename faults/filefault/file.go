package filefault

import (
	"io"
	"io/fs"
	"os"
)

// File is an open file whose changes pass points. Its methods are those of *os.File, of which each Write is
// one file.write.
type File struct {
	inner *os.File
	files *Files
}

// Unwrap returns the file that is wrapped.
func (f *File) Unwrap() *os.File { return f.inner }

// Name is that of *os.File.
func (f *File) Name() string { return f.inner.Name() }

// Stat is that of *os.File.
func (f *File) Stat() (fs.FileInfo, error) { return f.inner.Stat() }

// Read is that of *os.File.
func (f *File) Read(p []byte) (int, error) { return f.inner.Read(p) }

// ReadAt is that of *os.File.
func (f *File) ReadAt(p []byte, offset int64) (int, error) { return f.inner.ReadAt(p, offset) }

// Seek is that of *os.File.
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.inner.Seek(offset, whence) }

// Close is that of *os.File. It has no point, and closes after a crash too, as the end of a process does.
func (f *File) Close() error { return f.inner.Close() }

// Write is that of *os.File, file.write. A lost answer counts no byte as written.
func (f *File) Write(p []byte) (int, error) {
	return f.write(func() (int, error) { return f.inner.Write(p) })
}

// WriteAt is that of *os.File, file.write.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	return f.write(func() (int, error) { return f.inner.WriteAt(p, offset) })
}

// WriteString is that of *os.File, file.write.
func (f *File) WriteString(text string) (int, error) { return f.Write([]byte(text)) }

// ReadFrom copies in pieces of 32 KiB, each a file.write.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{f}, struct{ io.Reader }{r})
}

// Truncate is that of *os.File, file.write.
func (f *File) Truncate(size int64) error {
	return f.files.change("write", "truncate", f.Name(), func() error { return f.inner.Truncate(size) })
}

// Sync is that of *os.File, file.sync.
func (f *File) Sync() error { return f.files.change("sync", "sync", f.Name(), f.inner.Sync) }

func (f *File) write(do func() (int, error)) (n int, err error) {
	var own error
	err = f.files.change("write", "write", f.Name(), func() error { n, own = do(); return own })
	if err != nil && err != own {
		return 0, err
	}
	return n, err
}
