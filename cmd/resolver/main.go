// Command resolver is the course's support workflow on the command line: recorded decisions become a
// proposal, a person approves it, and the approved changes are made exactly once.
//
//	resolver run T-90104
//	resolver approve T-90104-agent-chat-small-1 --as agent
//	resolver changes
//
// It keeps a work folder: the saved runs in runs.sqlite, the practice services in larkfield.sqlite.
package main

import (
	"context"
	"os"
)

func main() {
	ignoreSizeLimit()
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr, os.Getenv))
}
