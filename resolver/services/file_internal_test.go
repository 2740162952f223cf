package services

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver/larkfield"
)

func newStore(t *testing.T, mode string) *fileStore {
	t.Helper()
	path := filepath.Join(t.TempDir(), "larkfield.sqlite")
	data := &larkfield.Data{Products: []larkfield.Product{{SKU: "POT", Stock: 3}}}
	if err := Create(context.Background(), path, data); err != nil {
		t.Fatal(err)
	}
	s, err := openStore(context.Background(), path, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	return s
}

// A test may run as a user whom file modes don't stop, so the connection is what is read-only here.
func TestUpdate_OnAReadOnlyFile(t *testing.T) {
	s := newStore(t, "ro")
	err := s.update(context.Background(), func(t tables) error { return t.setStock("POT", 1) })
	if err == nil || !strings.Contains(err.Error(), s.path) || !strings.Contains(err.Error(), "it is read-only") {
		t.Errorf("%v", err)
	}
}

func TestUpdate_AllOrNothing(t *testing.T) {
	broken := errors.New("broken half-way")
	s := newStore(t, "rw")
	memory := NewMemory(Config{Data: &larkfield.Data{Products: []larkfield.Product{{SKU: "POT", Stock: 3}}}, Now: func() time.Time { return time.Time{} }})
	for _, store := range []store{s, memory.store} {
		err := store.update(context.Background(), func(t tables) error {
			if err := errors.Join(t.setStock("POT", 1), t.useFault("run", "fault"), t.Append(Effect{Seq: 1})); err != nil {
				return err
			}
			return broken
		})
		if !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		store.view(context.Background(), func(tb tables) error {
			p, _, err := tb.product("POT")
			ledger, err2 := tb.Effects()
			if p.Stock != 3 || len(ledger) != 0 || err != nil || err2 != nil {
				t.Errorf("stock %d, %d effects, %v, %v", p.Stock, len(ledger), err, err2)
			}
			return nil
		})
	}
}
