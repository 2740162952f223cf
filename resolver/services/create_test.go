package services_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
)

// TestCreate_AtTheSameMoment makes one file from several sides, each of which then changes something: nobody's
// file, with what was changed in it, is replaced by another's fresh one.
func TestCreate_AtTheSameMoment(t *testing.T) {
	const sides = 6
	path := filepath.Join(t.TempDir(), "larkfield.sqlite")
	errs := make([]error, sides)
	var wait sync.WaitGroup
	for i := range sides {
		wait.Go(func() { errs[i] = createAndRefund(path, fmt.Sprintf("side-%d", i)) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	f, err := services.Open(t.Context(), path, services.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	changes, err := f.Changes(t.Context())
	if err != nil || len(changes) != sides {
		t.Errorf("%d changes, want %d: %v", len(changes), sides, err)
	}
	if err := f.Check(t.Context()); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(path + ".*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func createAndRefund(path, key string) error {
	ctx := context.Background()
	if err := services.Create(ctx, path, larkfield.Dataset()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := services.Open(ctx, path, services.Config{Now: time.Now})
	if err != nil {
		return err
	}
	defer f.Close()
	a := resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-507862", AmountCents: 100, ReasonCode: "RFD-LATE"}
	_, err = f.Services(services.Caller{TicketID: "phone-call"}).Payment.RequestRefund(ctx, resolver.WriteRequest{Key: key, Action: a})
	return err
}

// TestOpen_CutInItsLastPage cuts less than a page: SQLite would read zeros there and go on.
func TestOpen_CutInItsLastPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "larkfield.sqlite")
	if err := services.Create(t.Context(), path, larkfield.Dataset()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-2000); err != nil {
		t.Fatal(err)
	}
	_, err = services.Open(t.Context(), path, services.Config{Now: time.Now})
	wantAdvice(t, err, path, "replace it by a fresh one with a reset")
}
