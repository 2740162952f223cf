package main

import (
	"testing"

	"github.com/paytwice/paytwice/reports/schema/schematest"
)

// TestSchemas holds every JSON document of the resolver, empty and filled, against its schema.
func TestSchemas(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"changes", "runs", "trail"} {
		schematest.Check(t, name, []byte(f.ok(name, "--format", "json")))
	}
	f.ok("run", "T-90103")
	f.ok("approve", "T-90103-agent-chat-small-1", "--as", "agent")
	f.ok("run", "T-90104")
	f.ok("refund", "--op", "manual-1", "--ticket", "phone-call", "LK-507862", "119.00", "RFD-DOUBLE", "PAY-507862-2")
	for _, name := range []string{"changes", "runs", "trail"} {
		schematest.Check(t, name, []byte(f.ok(name, "--format", "json")))
	}
	schematest.Check(t, "trace", []byte(f.ok("trace", "T-90103", "--format", "json")))
}
