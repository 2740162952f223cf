package main

import (
	"context"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

func day() time.Time { return time.Date(2026, 10, 9, 13, 0, 0, 0, time.UTC) }

func BenchmarkLoadRecordings(b *testing.B) {
	for b.Loop() {
		if _, err := agent.LoadRecordings(larkfield.Embedded(), larkfield.RecordingsDir); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLife is one life of the loop in memory: T-65273, three steps.
func BenchmarkLife(b *testing.B) {
	task, _ := larkfield.TaskByID("T-65273")
	loop := &agent.Loop{Model: larkfield.Recordings(), Services: practice(day).Services(caller(task, ""))}
	b.ReportAllocs()
	for b.Loop() {
		s := resolver.NewState(task.Ticket, "r", agent.VariantAgent, "chat-small", 1)
		if err := loop.Run(context.Background(), task.Ticket, s, nil); err != nil || s.Status != resolver.WaitingApproval {
			b.Fatal(err, s.Status)
		}
	}
}
