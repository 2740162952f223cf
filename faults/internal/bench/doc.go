// Package bench compares a point that is not armed with the inactive points of gofail and failpoint, in one
// run. It is a module of its own, so that theirs stay out of the one that people import.
//
//	go test -bench . -cpu 1
package bench
