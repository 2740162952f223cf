// Package sqlfault puts crash points around the calls of any database/sql driver.
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
// Once a simulated crash has struck, the connection that it struck on is closed, as a dead process's is,
// and every other one at its next use.
//
// It imports faults and the standard library.
package sqlfault
