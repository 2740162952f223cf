// Package filefault puts crash points around a program's changes to files.
//
// Write through it what was written through package os:
//
//	files := filefault.FS(nil)
//	if err := files.WriteFile(name+".new", data, 0o600); err != nil {
//		return err
//	}
//	return files.Rename(name+".new", name)
//
// In the Run of an explorer.Program it is now killed before and after each of the steps: the file is there and
// empty, there and whole under its first name, renamed. The example takes a plan into its own hands, with an
// injector that only simulates the crash.
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
