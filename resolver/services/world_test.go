package services_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/paytwice/paytwice/faults/provider"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/services"
)

// world is the services of one kind, as the conformance test sees them.
type world struct {
	*clock
	services func(services.Caller) resolver.Services
	changes  func() []resolver.Change
	image    func() *services.Image
	inner    *services.World
}

var ctx = context.Background()

// kinds are the ways to have the services. Each starts afresh.
var kinds = []struct {
	name string
	open func(testing.TB, provider.Profile) *world
}{
	{"memory", openMemory},
	{"file", openFile},
	{"http", openHTTP},
}

func config(c *clock, p provider.Profile) services.Config {
	return services.Config{Data: shop(), Policy: passages(), Profile: p, Now: c.Now}
}

func openMemory(t testing.TB, p provider.Profile) *world {
	c := newClock()
	m := services.NewMemory(config(c, p))
	return &world{clock: c, services: m.Services, changes: changesOf(t, m.World), image: m.Snapshot, inner: m.World}
}

// template is the bytes of a fresh file: made once, copied for each test.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "services-test")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "larkfield.sqlite")
	if err := services.Create(ctx, path, shop()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func newFile(t testing.TB) string {
	t.Helper()
	bytes, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "larkfield.sqlite")
	if err := os.WriteFile(path, bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFile(t testing.TB, p provider.Profile) *world {
	t.Helper()
	c, path := newClock(), newFile(t)
	f := open(t, path, config(c, p))
	return &world{
		clock: c, services: f.Services, changes: changesOf(t, f.World), inner: f.World,
		image: func() *services.Image {
			i, err := services.ReadImage(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			return i
		},
	}
}

// open opens a file and checks the whole of it when the test ends.
func open(t testing.TB, path string, c services.Config) *services.File {
	t.Helper()
	f, err := services.Open(ctx, path, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Check(ctx); err != nil {
			t.Error(err)
		}
		f.Close()
	})
	return f
}

func openHTTP(t testing.TB, p provider.Profile) *world {
	t.Helper()
	w := openMemory(t, p)
	return overHTTP(t, w, nil)
}

// overHTTP returns w behind a server. The faults of a caller go to the server's side, as in a harness.
func overHTTP(t testing.TB, w *world, gate services.Gate) *world {
	t.Helper()
	out := *w
	out.services = func(c services.Caller) resolver.Services {
		server := httptest.NewServer(services.NewHandler(services.HandlerOptions{
			Services: func(remote services.Caller) resolver.Services {
				remote.Faults = c.Faults
				return w.services(remote)
			},
			Gate: gate,
		}))
		client := services.NewClient(server.URL, services.ClientOptions{Caller: c})
		t.Cleanup(func() { client.Close(); server.Close() })
		return client.Services()
	}
	return &out
}

func changesOf(t testing.TB, w *services.World) func() []resolver.Change {
	return func() []resolver.Change {
		t.Helper()
		changes, err := w.Changes(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return changes
	}
}

// send sends one write to the service it belongs to.
func send(ctx context.Context, s resolver.Services, key string, a resolver.Action) (resolver.Change, error) {
	w := resolver.WriteRequest{TicketID: "T-1", Key: key, Action: a}
	switch a.Tool {
	case resolver.RequestRefund:
		return s.Payment.RequestRefund(ctx, w)
	case resolver.ReshipItem:
		return s.Warehouse.ReshipItem(ctx, w)
	default:
		return s.Warehouse.CreateReturnLabel(ctx, w)
	}
}
