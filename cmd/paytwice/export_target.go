package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/paytwice/paytwice/cmd/internal/cli"
)

// checkTarget refuses to write a page over what is no page: export takes the page's name first, so a report
// named without --from would be gone.
func (o *pageFlags) checkTarget() error {
	ending := filepath.Ext(o.file)
	page := strings.TrimSuffix(o.file, ending) + ".html"
	switch {
	case sameFile(o.file, o.from):
		return cli.WrongUse("%s is the report itself: give the page a name of its own, such as %s", o.file, page)
	case o.from == "" && isReport(o.file):
		if page == o.file {
			page = "FILE.html"
		}
		return cli.WrongUse("%s is a report: paytwice export %s --from %s", o.file, page, o.file)
	case strings.EqualFold(ending, ".json"):
		return cli.WrongUse("export writes a page, not JSON: name it %s", page)
	case !mayBecomePage(o.file) && page == o.file:
		return cli.WrongUse("%s is there, and is no HTML page: name another file", o.file)
	case !mayBecomePage(o.file):
		return cli.WrongUse("%s is there, and is no HTML page: name another file, such as %s", o.file, page)
	}
	return nil
}

func isReport(name string) bool {
	if !isPlain(name) {
		return false
	}
	_, err := readReport(name)
	return err == nil
}

// mayBecomePage reports whether nothing is lost when a page is written to a file: it is not there, empty, or a
// page by its first bytes. What is no plain file, or can't be read, is refused where it is opened for writing.
func mayBecomePage(name string) bool {
	if !isPlain(name) {
		return true
	}
	file, err := os.Open(name)
	if err != nil {
		return true
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, 512)) // As much as DetectContentType looks at.
	return err != nil || len(head) == 0 || strings.HasPrefix(http.DetectContentType(head), "text/html")
}

// isPlain reports whether a name, or what its link leads to, is a plain file: reading from others may wait for ever.
func isPlain(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
