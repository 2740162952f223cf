package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/paytwice/paytwice/explorer/child"
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/checkpoint"
	"github.com/paytwice/paytwice/resolver/larkfield"
	"github.com/paytwice/paytwice/resolver/services"
	"github.com/paytwice/paytwice/scenarios/seams"
)

// The two registers of a case, kept by two systems.
const (
	RunsFile      = "runs.sqlite"
	LarkfieldFile = "larkfield.sqlite"
)

// refundProcess is the refund program as processes.
type refundProcess struct {
	*refund
	task string
}

// Task implements Program.
func (p refundProcess) Task() string { return p.task }

// Config implements Program.
func (p refundProcess) Config() any { return p.setting }

// Prepare implements Program. The stores are closed again, so that the folder is two single files.
func (p refundProcess) Prepare(ctx context.Context, dir string) error {
	if err := services.Create(ctx, filepath.Join(dir, LarkfieldFile), p.data()); err != nil {
		return err
	}
	store, err := checkpoint.Open(filepath.Join(dir, RunsFile), checkpoint.Options{Clock: NewClock(Today)})
	if err != nil {
		return err
	}
	return store.Close()
}

// Open implements Program.
func (p refundProcess) Open(ctx context.Context, dir string, clock *Clock) (Outside, error) {
	file, err := services.Open(ctx, filepath.Join(dir, LarkfieldFile), p.servicesConfig(clock.Now))
	if err != nil {
		return nil, err
	}
	return &refundOutside{refund: p.refund, file: file}, nil
}

// Read implements Program. A killed process may leave a journal that the next one has to roll back; the
// runs are read from a copy then, so that the recovery is the next process's own.
func (p refundProcess) Read(ctx context.Context, dir string, o Outside) (Durable, error) {
	runs, err := readRuns(ctx, dir)
	if err != nil {
		return nil, err
	}
	image, err := o.(*refundOutside).file.Image(ctx)
	if err != nil {
		return nil, err
	}
	return &refundDurable{runs: runs, services: image, refund: p.refund}, nil
}

func readRuns(ctx context.Context, dir string) (*checkpoint.Image, error) {
	path := filepath.Join(dir, RunsFile)
	if _, err := os.Stat(path + "-journal"); err == nil {
		scratch, err := os.MkdirTemp(dir, "read-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(scratch)
		for _, suffix := range []string{"", "-journal"} {
			data, err := os.ReadFile(path + suffix)
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(filepath.Join(scratch, RunsFile+suffix), data, 0o600); err != nil {
				return nil, err
			}
		}
		path = filepath.Join(scratch, RunsFile)
	}
	store, err := checkpoint.Open(path, checkpoint.Options{Clock: NewClock(Today)})
	if err != nil {
		return nil, err
	}
	image, err := store.Image(ctx)
	return image, errors.Join(err, store.Close())
}

// Accepts implements Program.
func (p refundProcess) Accepts(site faults.Site, verb faults.Verb) bool {
	return acceptsRefund(site, verb)
}

// refundOutside is the practice services and the recorded model, in the parent.
type refundOutside struct {
	*refund
	file *services.File
}

// Handler implements Outside.
func (o *refundOutside) Handler(g *gate) http.Handler {
	options := services.HandlerOptions{Services: func(services.Caller) resolver.Services { return o.file.Services(o.caller()) }}
	mux := http.NewServeMux()
	if g != nil {
		options.Gate, options.Knobs = g.Pass, g.Knobs
		mux.Handle("/model/complete", modelHandler{larkfield.RecordingsOf(o.task.ID), g})
	}
	mux.Handle("/", services.NewHandler(options))
	return mux
}

// Happen implements Outside.
func (o *refundOutside) Happen(ctx context.Context, name string) error {
	return happen(ctx, o.file.World, o.refund, name)
}

// Close implements Outside.
func (o *refundOutside) Close() error { return o.file.Close() }

// modelHandler serves the recorded model, so that its calls are counted outside the process that pays.
type modelHandler struct {
	model resolver.Model
	gate  *gate
}

func (h modelHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request resolver.ModelRequest
	if err := json.NewDecoder(io.LimitReader(r.Body, 4<<20)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _, n, _ := services.CallOf(r)
	var answer resolver.ModelResponse
	var err error
	work := func() { answer, err = h.model.Complete(context.WithoutCancel(r.Context()), request) }
	if !h.gate.Pass(services.Call{Seam: "model", Operation: "complete", N: n}, work) {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	var missing *resolver.ModelError
	if errors.As(err, &missing) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(w).Encode(missing)
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// modelClient is the recorded model at the other end of a connection.
type modelClient struct {
	address string
	http    *http.Client
	calls   *seams.Calls
}

func (c modelClient) Complete(ctx context.Context, r resolver.ModelRequest) (resolver.ModelResponse, error) {
	var answer resolver.ModelResponse
	body, err := json.Marshal(r)
	if err != nil {
		return answer, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address+"/model/complete", bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	request.Header.Set(services.HeaderCall, fmt.Sprint(c.calls.Number("model", "complete")))
	response, err := c.http.Do(request)
	if err != nil {
		return answer, &resolver.ModelError{Code: "provider_error", Message: err.Error()}
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusUnprocessableEntity {
		var missing resolver.ModelError
		if err := json.NewDecoder(response.Body).Decode(&missing); err == nil {
			return answer, &missing
		}
	}
	if response.StatusCode != http.StatusOK {
		return answer, &resolver.ModelError{Code: "provider_error", Message: response.Status}
	}
	return answer, json.NewDecoder(response.Body).Decode(&answer)
}

// refundChild is the refund program's main in the child.
func refundChild(ctx context.Context, at *child.Seat) (history.End, error) {
	var setting Setting
	if err := json.Unmarshal(at.Order.Config, &setting); err != nil {
		return history.Failed, fmt.Errorf("setting: %w", err)
	}
	return childOf(ctx, at, setting, Planting{})
}

func childOf(ctx context.Context, at *child.Seat, setting Setting, p Planting) (history.End, error) {
	r, err := newPlanted(setting, p)
	if err != nil {
		return history.Failed, err
	}
	holder, err := checkpoint.ThisProcess()
	if err != nil {
		return history.Failed, err
	}
	store, err := checkpoint.Open(RunsFile, checkpoint.Options{Clock: at})
	if err != nil {
		return history.Failed, err
	}
	defer store.Close()
	transport := clockReader{&http.Transport{}, at.SetNow}
	calls := seams.NewCalls()
	can := resolver.Capabilities(r.profile.Capabilities())
	client := services.NewClient(at.Order.Address, services.ClientOptions{Caller: r.caller(), Call: calls.Number, Transport: transport, Payment: &can, Warehouse: &can})
	seat := &seams.Seat{Injector: at.Injector, Now: at.Now, Record: at.Record, Remote: true, Calls: calls}
	return r.live(ctx, seat, parts{store, client.Services(), modelClient{at.Order.Address, &http.Client{Transport: transport}, calls}, at, holder, nil})
}
