// Package batch is the task that charged five orders: it died at the third, started again from the
// beginning, and two customers paid twice.
//
// The program is written three times over: without a progress file, with a progress file, and with a
// progress file and a key. [Table] finds the lesson's crash table in real runs.
//
// It imports scenarios and what they import.
//
// Source: lesson "Checkpoints for long work".
package batch
