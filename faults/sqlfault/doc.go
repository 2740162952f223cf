// Package sqlfault puts crash points around the calls of any database/sql driver.
//
// Open the database through it, and leave the rest of the program as it is:
//
//	connector, err := sqlite.NewConnector(filepath.Join(env.Dir(), "shop.db"))
//	if err != nil {
//		return err
//	}
//	db := sql.OpenDB(sqlfault.NewConnector(connector, nil))
//
// In the Run of an explorer.Program the process is now killed before and after each statement: nil stands for the
// injector that explorer.Test arms. In production none is armed, and the wrapper costs next to nothing. The
// example takes a plan into its own hands, with an injector that only simulates the crash.
//
//   - [NewConnector] wraps a driver.Connector, [Driver] a driver.Driver, and [Open] opens a database.
//   - Sites: sql.begin, sql.commit, sql.rollback, sql.savepoint, sql.release, sql.rollback_to, sql.exec and
//     sql.query. A transaction's statement counts as itself however it is sent: COMMIT through Exec is
//     sql.commit. A text of several statements is one call, named by the most that it does.
//   - Positions: before and after. The database is beside the program, so the seam has no during; a kill
//     there is never reached, and an injector says so.
//   - Faults at during: lose-request (not done), lose-response (done), unavailable and refuse (not done).
//     After a lost one the connection is gone, with its transaction, as after a broken socket, and so it
//     is after a commit or rollback that was kept back. [BadConn] makes a lost one the error on which
//     database/sql sends a statement again.
//
// Preparing, pinging and closing have no points: they change nothing that lasts.
//
// Each wrapper has exactly the optional interfaces of what it wraps, so database/sql behaves as before;
// rows and results are the driver's own. A connection's and a transaction's other methods are reached by
// Unwrap.
//
// A simulated crash is answered with faults.ErrCrashed, as is every later call, and unwinds nothing: the locks
// of database/sql would stay locked. (*faults.Injector).Catch tells a life that ended so from one that
// failed; a program that tries again for ever needs a bound. Each connection is closed at its next use, which
// rolls back what was open. A database in memory goes with its connection, so a simulation needs a file.
//
// A driver that answers driver.ErrSkip to have a statement prepared gives it two calls, the first of which
// does nothing.
//
// It imports faults and the standard library.
package sqlfault
