// Package filefault puts crash points around a program's changes to files.
//
//   - [FS] returns the operations, under the names that package os gives them; [File] is an open file.
//   - Sites: file.create (a file that is opened to be written, a new directory), file.write (writes and
//     truncation), file.sync, file.rename and file.remove. Reading has no points.
//   - Positions: before and after; the seam has no during.
//   - Faults at during: lose-request, unavailable and refuse (not done), lose-response (done), each with its
//     error in an *fs.PathError.
//
// A kill never loses what a write has handed to the system, so points tell a missing rename or a half-made
// file, not a missing sync; a write isn't torn either.
//
// It imports faults and the standard library.
package filefault
