// Package course is the course project that a work folder serves: the embedded one, or a learner's own copy
// that was imported.
//
// An import keeps one file, [File], in the work folder: the tables, tickets, policy and recordings as they
// were read, checked. One file is there or it is not, so nothing is ever imported by halves.
//
// Import rule: resolver, resolver/agent and resolver/larkfield, and the SQLite driver that reads the
// course's practice database.
package course
