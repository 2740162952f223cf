// Package blackbox crashes programs from outside: it needs no source and no help from the program.
//
// A program runs in a copy of a folder, under a tracer that stops it at each of its durable system
// calls: those that change files and names below that folder, lines on standard output, and bytes sent
// on sockets. At one chosen call all its processes are killed, before the call or after it; then it is
// started again, and its end is judged.
//
//   - [Sweep] does the whole job: it records the program twice, kills it before and after every durable
//     call, recovers each different state once, judges the ends, and derives from the recording the
//     folders that a power cut could have left.
//   - [Record] runs a program undisturbed and returns its [Trace].
//   - [Kill] runs it up to one point of a trace and kills it there.
//   - [Replay] repeats one plan of a report.
//   - [Images] lists the folders that a power cut could leave, for those who judge them in process.
//   - [Available] says what this system lacks, if anything.
//
// A point is addressed by call, path below the folder, and occurrence: sys.pwrite64[runs.sqlite]/after#3.
// In place of a path stand <stdout>, <tcp>, <udp> and <unix>. See [Call].
//
// What is not seen: stores through shared memory maps (the files so mapped are reported), access times and
// flags of inodes, and what a program does on another machine.
// Kernel rings (io_uring, Linux AIO), clone3 and file clones are answered as on a kernel without them. A program
// can't gain privileges (no set-user-id helpers), and can't be debugged at the same time.
//
// A thread that makes one call after the other shares a processor with its tracer. sched_getaffinity tells of all it
// has nevertheless; /proc/self/status does not.
//
// It works on linux/amd64; elsewhere everything builds and returns [ErrPlatform]. It imports the
// standard library, golang.org/x/sys and package faults.
package blackbox
