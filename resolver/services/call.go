package services

import (
	"net/http"
	"strings"
)

// CallOf returns the call that a request makes, without reading its body. ok is false for a request
// that is none, or whose number can't be read.
func CallOf(r *http.Request) (seam, operation string, n int, ok bool) {
	seam, operation, ok = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	n, err := callNumber(r)
	return seam, operation, n, ok && err == nil
}
