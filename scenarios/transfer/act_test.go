package transfer_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/scenarios/transfer"
)

// heard is an alerter that keeps what it heard.
type heard struct{ texts []string }

func (h *heard) Raise(_ context.Context, a transfer.Alert) error {
	h.texts = append(h.texts, a.ID+": "+a.Text)
	return nil
}

// target is an action at a target, and what the target holds in the end.
type target struct {
	action transfer.Action
	holds  func() string
	// address is what differs from run to run.
	address string
}

// Each of the lesson's checks, at a target that does what it is asked for, and at one that answers that
// all is well and does something else.
func TestAct(t *testing.T) {
	cases := []struct {
		title  string
		make   func(t *testing.T) target
		holds  string
		alerts []string
	}{
		{"row", rowTarget(""), "closed", nil},
		{"row that a trigger sets back", rowTarget(`CREATE TRIGGER back AFTER UPDATE ON ticket WHEN NEW.status = 'closed'
			BEGIN UPDATE ticket SET status = 'disputed' WHERE id = NEW.id; END`), "open", []string{`the row says "disputed"; rolled back`}},
		{"row that the update misses", rowTarget(`CREATE TRIGGER ignore BEFORE UPDATE ON ticket BEGIN SELECT RAISE(IGNORE); END`),
			"open", []string{`the update returned []; rolled back`}},
		{"mail", mailTarget("send"), "m-1=Your refund is on its way.", nil},
		{"mail that stays in the queue", mailTarget("queue"), "", []string{"message m-1 is not in the sent folder; rolled back"}},
		{"mail that is cut", mailTarget("cut"), "m-1=Your m-1-correction=Pleas", []string{"message m-1 was sent with another text; rolled back"}},
		{"file", fileTarget(nil, false), "100.00", nil},
		{"file that is cut", fileTarget(func(path string, data []byte) error { return os.WriteFile(path, data[:3], 0o600) }, true),
			"old", []string{"the file's hash is ad573668, not d66c66a9; rolled back"}},
		{"file that is not written", fileTarget(func(string, []byte) error { return nil }, false), "", []string{"the file is not there; rolled back"}},
		{"resource", resourceTarget("keep"), "refund 100", nil},
		{"resource that is not there", resourceTarget("drop"), "", []string{"the resource is not there; rolled back"}},
		{"resource that is another", resourceTarget("change"), "", []string{`the resource says "REFUND 100"; rolled back`}},
		{"resource that can't be deleted", resourceTarget("stuck"), "REFUND 100",
			[]string{`the resource says "REFUND 100"; not rolled back: DELETE ADDRESS/1: 403 Forbidden`}},
	}
	for _, c := range cases {
		t.Run(c.title, func(t *testing.T) {
			at := c.make(t)
			h := &heard{}
			got, err := transfer.Act(t.Context(), "act-1", at.action, h)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verified != (len(c.alerts) == 0) {
				t.Errorf("verified %t, and %v", got.Verified, h.texts)
			}
			if diff := cmp.Diff(c.holds, at.holds()); diff != "" {
				t.Errorf("the target holds (-want +got)\n%s", diff)
			}
			var want []string
			for _, a := range c.alerts {
				want = append(want, "act-1: "+strings.ReplaceAll(a, "ADDRESS", at.address))
			}
			if diff := cmp.Diff(want, h.texts); diff != "" {
				t.Errorf("alerts (-want +got)\n%s", diff)
			}
		})
	}
}

func rowTarget(trigger string) func(*testing.T) target {
	return func(t *testing.T) target {
		db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "tickets.sqlite"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		for _, statement := range []string{`CREATE TABLE ticket (id TEXT PRIMARY KEY, status TEXT)`, `INSERT INTO ticket VALUES ('T-1', 'open')`, trigger} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		return target{&transfer.Row{DB: db, ID: "T-1", Status: "closed"}, func() string {
			var status string
			if err := db.QueryRowContext(t.Context(), `SELECT status FROM ticket`).Scan(&status); err != nil {
				t.Error(err)
			}
			return status
		}, ""}
	}
}

func mailTarget(how string) func(*testing.T) target {
	return func(t *testing.T) target {
		sent := t.TempDir()
		submit := func(_ context.Context, id, text string) error {
			switch how {
			case "queue":
				return nil
			case "cut":
				text = text[:5]
			}
			return os.WriteFile(filepath.Join(sent, id), []byte(text), 0o600)
		}
		return target{&transfer.Mail{Submit: submit, Sent: sent, ID: "m-1", Text: "Your refund is on its way."}, func() string {
			entries, err := os.ReadDir(sent)
			if err != nil {
				t.Error(err)
			}
			var all []string
			for _, e := range entries {
				text, err := os.ReadFile(filepath.Join(sent, e.Name()))
				if err != nil {
					t.Error(err)
				}
				all = append(all, e.Name()+"="+string(text))
			}
			return strings.Join(all, "")
		}, ""}
	}
}

func fileTarget(write func(string, []byte) error, exists bool) func(*testing.T) target {
	return func(t *testing.T) target {
		path := filepath.Join(t.TempDir(), "amount")
		if exists {
			if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return target{&transfer.File{Path: path, Data: []byte("100.00"), Write: write}, func() string {
			text, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Error(err)
			}
			return string(text)
		}, ""}
	}
}

func resourceTarget(how string) func(*testing.T) target {
	return func(t *testing.T) target {
		held := ""
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.Method {
			case http.MethodPost:
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				switch held = string(body); how {
				case "drop":
					held = ""
				case "change", "stuck":
					held = strings.ToUpper(held)
				}
				w.Header().Set("Location", "/1")
				w.WriteHeader(http.StatusCreated)
			case http.MethodGet:
				if held == "" {
					w.WriteHeader(http.StatusNotFound)
				}
				_, _ = io.WriteString(w, held)
			case http.MethodDelete:
				if how == "stuck" {
					w.WriteHeader(http.StatusForbidden)
					return
				}
				held = ""
			}
		}))
		t.Cleanup(server.Close)
		return target{&transfer.Resource{Client: server.Client(), URL: server.URL, Body: "refund 100"}, func() string { return held }, server.URL}
	}
}

func TestCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "heard.json")
	want := transfer.Alert{ID: "a-1", Run: "transfer-1", Text: "B was credited 0.00"}
	t.Setenv(hearEnv, path)
	if err := (transfer.Command{Path: self}).Raise(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got transfer.Alert
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heard (-want +got)\n%s", diff)
	}
	t.Setenv(hearEnv, filepath.Join(path, "no-folder"))
	if err := (transfer.Command{Path: self}).Raise(t.Context(), want); err == nil {
		t.Error("a command that fails was taken for one that heard")
	}
}
