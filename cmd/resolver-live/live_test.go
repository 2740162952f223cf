package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytwice/paytwice/cmd/internal/cli"
	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

// standIn answers as the embedded recording of a ticket does, in the endpoint's own form.
func standIn(t *testing.T, ticket, variant, model string) *httptest.Server {
	t.Helper()
	step := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
			return
		}
		var body resolver.ModelRequestBody
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("request: %v", err)
		}
		step++
		a, err := larkfield.Recordings().Complete(r.Context(), resolver.ModelRequest{TicketID: ticket, Variant: variant, Step: step, Repeat: 1, Body: resolver.ModelRequestBody{Model: model, Messages: body.Messages}})
		if err != nil {
			t.Errorf("step %d: %v", step, err)
		}
		message := map[string]any{"role": "assistant", "content": a.Content}
		if len(a.ToolCalls) > 0 {
			message["tool_calls"] = a.ToolCalls
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x", "object": "chat.completion", "model": body.Model,
			"choices": []any{map[string]any{"index": 0, "finish_reason": a.FinishReason, "message": message}},
			"usage":   map[string]any{"prompt_tokens": a.InputTokens, "completion_tokens": a.OutputTokens, "total_tokens": a.InputTokens + a.OutputTokens}})
	}))
	t.Cleanup(s.Close)
	return s
}

func runLive(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	o := cli.NewOutput(&out)
	code = cli.Run(t.Context(), command(o, func(k string) string { return env[k] }), args, o, &errOut, func(error) int { return 1 })
	return code, out.String(), errOut.String()
}

func TestLive_RecordsWhatItReplays(t *testing.T) {
	server := standIn(t, "T-65273", "agent", "chat-small")
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.jsonl")
	env := map[string]string{envBaseURL: server.URL + "/v1", envKey: "secret"}
	code, stdout, stderr := runLive(t, env, "--model", "my-model", "-o", file, "T-65273")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if want := "T-65273  3 call(s)  7155 in  192 out  resolve (W7): request_refund LK-507862\n"; stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	recordings, err := agent.LoadRecordings(os.DirFS(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	if got := recordings.Repeats("T-65273", "agent", "my-model"); len(got) != 1 || got[0] != 1 {
		t.Errorf("repeats %v, want [1]", got)
	}
	if recordings.Len() != 3 {
		t.Errorf("%d lines, want 3", recordings.Len())
	}
}

func TestLive_WrongUse(t *testing.T) {
	full := map[string]string{envBaseURL: "http://127.0.0.1:1/v1", envKey: "secret"}
	file := filepath.Join(t.TempDir(), "x.jsonl")
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		says string
	}{
		"no model":       {full, []string{"-o", file, "T-65273"}, "needs --model"},
		"no key":         {nil, []string{"--model", "m", "-o", file, "T-65273"}, envKey},
		"unknown ticket": {full, []string{"--model", "m", "-o", file, "T-1"}, "unknown ticket"},
		"no such folder": {full, []string{"--model", "m", "-o", filepath.Join(file, "y"), "T-65273"}, "can't be written"},
		"wrong variant":  {full, []string{"--model", "m", "--variant", "x", "-o", file, "T-65273"}, "variant"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := runLive(t, c.env, c.args...)
			if code != cli.ExitUsage || !strings.Contains(stderr, c.says) {
				t.Errorf("exit %d, %q; want %d and %q", code, stderr, cli.ExitUsage, c.says)
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("a recording was left behind")
			}
		})
	}
}

func TestLive_EndpointFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "x.jsonl")
	env := map[string]string{envBaseURL: server.URL + "/v1", envKey: "wrong"}
	code, stdout, _ := runLive(t, env, "--model", "m", "-o", file, "T-90104")
	if code != 0 || !strings.Contains(stdout, agent.StopProviderError) {
		t.Errorf("exit %d, %q: want the run stopped by %s", code, stdout, agent.StopProviderError)
	}
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), `"error"`) {
		t.Errorf("the failure is not on record: %s %v", data, err)
	}
}
