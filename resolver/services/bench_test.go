package services_test

import (
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver/services"
)

// One life of a simulated program: back to a state, look, change, look again, keep the state.
func BenchmarkMemory_Life(b *testing.B) {
	m := services.NewMemory(config(newClock(), provider.Larkfield()))
	v := m.Services(caller("T-1"))
	send(ctx, v, "op-0", reship("LK-100001", "POT", 1))
	base := m.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		m.Restore(base)
		v.Payment.Operation(ctx, "op-1")
		if _, err := send(ctx, v, "op-1", refund("LK-100001", 995, "")); err != nil {
			b.Fatal(err)
		}
		v.Payment.ReadBack(ctx, "RF-00000000")
		m.Snapshot()
	}
}

func BenchmarkMemory_SnapshotAndRestore(b *testing.B) {
	m := services.NewMemory(config(newClock(), provider.Larkfield()))
	for b.Loop() {
		m.Restore(m.Snapshot())
	}
}

func BenchmarkMemory_GetOrder(b *testing.B) {
	v := services.NewMemory(config(newClock(), provider.Larkfield())).Services(caller("T-1"))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Orders.GetOrder(ctx, "C-1", "LK-100001"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFile_Refund(b *testing.B) {
	w := openFile(b, provider.NoKey())
	v := w.services(caller("T-1"))
	for b.Loop() {
		if _, err := send(ctx, v, "", refund("LK-100002", 1, "")); err != nil {
			b.Fatal(err)
		}
	}
}
