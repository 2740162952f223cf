package agent_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

// ask is a request of one user message.
func ask(ticketID, text string, step, repeat int) resolver.ModelRequest {
	return resolver.ModelRequest{TicketID: ticketID, Variant: "agent", Step: step, Repeat: repeat, Body: resolver.ModelRequestBody{
		Model: "m", Messages: []resolver.Message{{Role: "user", Content: text}}}}
}

// line records a call whose answer says how it was recorded.
func line(q resolver.ModelRequest, name string) string {
	return fmt.Sprintf(`{"key":%q,"request":{"model":"m"},"meta":{"task_id":%q,"variant":"agent","step":%d,"repeat":%d},"response":{"choices":[{"message":{"content":%q}}]}}`+"\n",
		agent.RequestKey(q.Body), q.TicketID, q.Step, q.Repeat, name)
}

func TestRecordings_LookUp(t *testing.T) {
	r := agent.NewRecordings()
	lines := line(ask("T-2", "same", 1, 2), "other ticket") +
		line(ask("T-1", "first", 1, 1), "1.1") + line(ask("T-1", "first", 1, 3), "1.3") + line(ask("T-1", "first", 1, 2), "1.2") +
		line(ask("T-1", "second", 2, 2), "2.2") + line(ask("T-1", "second of 3", 2, 3), "2.3") + line(ask("T-1", "first", 1, 1), "1.1 again") +
		line(ask("T-3", "same", 1, 1), "same of T-3")
	if err := r.Add("a.jsonl", strings.NewReader(lines)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		q    resolver.ModelRequest
		want string
		note bool
	}{
		{"exact, repeat 1", ask("T-1", "first", 1, 1), "1.1", false},
		{"exact, repeat 2 of the same request", ask("T-1", "first", 1, 2), "1.2", false},
		{"exact, repeat 3 of the same request", ask("T-1", "first", 1, 3), "1.3", false},
		{"exact, a repeat that isn't recorded", ask("T-1", "first", 1, 9), "1.1", false},
		{"exact before the place", ask("T-1", "second", 2, 3), "2.2", false},
		{"exact at another step", ask("T-1", "second of 3", 1, 1), "2.3", false},
		{"this ticket's before another's", ask("T-3", "same", 1, 2), "same of T-3", false},
		{"another ticket's", ask("T-9", "same", 1, 2), "other ticket", false},
		{"another ticket's before the place", ask("T-1", "same", 1, 1), "same of T-3", false},
		{"place, the repeat", ask("T-1", "else", 1, 2), "1.2", true},
		{"place, the lowest", ask("T-1", "else", 2, 1), "2.2", true},
		{"nothing", ask("T-1", "else", 3, 1), "", false},
		{"nothing for the ticket", ask("T-4", "else", 1, 1), "", false},
	} {
		for range 2 { // The second time the answer is remembered.
			got, err := r.Complete(context.Background(), c.q)
			var known *resolver.ModelError
			switch {
			case c.want == "":
				if !errors.As(err, &known) || known.Code != agent.StopNoRecording {
					t.Errorf("%s: %v, %v", c.name, got, err)
				}
			case err != nil || got.Content != c.want || (got.Note != "") != c.note:
				t.Errorf("%s: %q, note %q, %v; want %q", c.name, got.Content, got.Note, err, c.want)
			}
		}
	}
	if got := r.Repeats("T-1", "agent", "m"); !cmp.Equal(got, []int{1, 2, 3}) || r.Len() != 8 {
		t.Errorf("repeats %v, %d lines", got, r.Len())
	}
}

// What is remembered changes no answer: a set that was asked before answers as a fresh one does.
func rememberingChangesNothing(t *rapid.T) {
	texts := rapid.SampledFrom([]string{"a", "b", "c"})
	question := rapid.Custom(func(t *rapid.T) resolver.ModelRequest {
		return ask(rapid.SampledFrom([]string{"T-1", "T-2"}).Draw(t, "ticket"), texts.Draw(t, "text"),
			rapid.IntRange(1, 2).Draw(t, "step"), rapid.IntRange(1, 6).Draw(t, "repeat"))
	})
	lines := ""
	for i, q := range rapid.SliceOfN(question, 0, 8).Draw(t, "recorded") {
		lines += line(q, fmt.Sprint(i))
	}
	load := func() *agent.Recordings {
		r := agent.NewRecordings()
		if err := r.Add("a.jsonl", strings.NewReader(lines)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	asked := load()
	for _, q := range rapid.SliceOfN(question, 1, 12).Draw(t, "asked") {
		got, gotErr := asked.Complete(context.Background(), q)
		want, wantErr := load().Complete(context.Background(), q)
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Fatalf("%+v: %v, %v\n%s", q, gotErr, wantErr, diff)
		}
		// The messages are the caller's, who goes on with them: what was remembered must not change along.
		q.Body.Messages[0].Content = texts.Draw(t, "changed to")
	}
}

func TestRecordings_RememberingChangesNothing(t *testing.T) {
	rapid.Check(t, rememberingChangesNothing)
}

func FuzzRecordings_Remembering(f *testing.F) { f.Fuzz(rapid.MakeFuzz(rememberingChangesNothing)) }

func TestRecordings_ConcurrentReads(t *testing.T) {
	r := agent.NewRecordings()
	if err := r.Add("a.jsonl", strings.NewReader(line(ask("T-1", "a", 1, 1), "one")+line(ask("T-1", "b", 1, 2), "two"))); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for n := range 200 {
				q := ask("T-1", []string{"a", "b", "c"}[(i+n)%3], 1, 1+(i+n)%2)
				if _, err := r.Complete(context.Background(), q); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func TestRecordings_Errors(t *testing.T) {
	good := line(ask("T-1", "a", 1, 1), "x")
	packed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %s in %s", old, good)
		}
		return good + strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, file, text, says string }{
		{"not JSON", "r.jsonl", good + "oops\n", "r.jsonl:2: not one JSON object"},
		{"cut off", "r.jsonl", good + good[:60], "r.jsonl:2: not one JSON object"},
		{"not UTF-8", "r.jsonl", "{\"key\":\"\xff\"}", "r.jsonl:1: not one"},
		{"bad key", "r.jsonl", good + "\n" + `{"key":"xyz"}`, "r.jsonl:3: key is not 16 hex digits"},
		{"no request", "r.jsonl", swap(`"request":{"model":"m"},`, ``), "r.jsonl:2: request is not one"},
		{"no model", "r.jsonl", swap(`{"model":"m"}`, `{"model":null}`), "r.jsonl:2: request names no model"},
		{"no meta", "r.jsonl", swap(`"meta"`, `"mata"`), "r.jsonl:2: meta does not name"},
		{"step 0", "r.jsonl", swap(`"step":1`, `"step":0`), "r.jsonl:2: meta does not name"},
		{"repeat 0", "r.jsonl", swap(`"repeat":1`, `"repeat":0`), "r.jsonl:2: meta does not name"},
		{"step is a text", "r.jsonl", swap(`"step":1`, `"step":"1"`), "r.jsonl:2: meta: "},
		{"neither response nor error", "r.jsonl", swap(`"response"`, `"answer"`), "r.jsonl:2: there must be a response or an error"},
		{"both", "r.jsonl", swap(`"response"`, `"error":{"message":"no"},"response"`), "r.jsonl:2: there must be"},
		{"content is a number", "r.jsonl", swap(`"content":"x"`, `"content":1`), "r.jsonl:2: response: "},
		{"negative tokens", "r.jsonl", swap(`"choices"`, `"usage":{"prompt_tokens":-1},"choices"`), "r.jsonl:2: usage"},
		{"giant tokens", "r.jsonl", swap(`"choices"`, `"usage":{"completion_tokens":9007199254740993},"choices"`), "r.jsonl:2: usage"},
		{"negative latency", "r.jsonl", swap(`"key"`, `"latency_s":-1,"key"`), "r.jsonl:2: latency_s"},
		{"latency is a text", "r.jsonl", swap(`"key"`, `"latency_s":"1","key"`), "r.jsonl:2: latency_s"},
		{"not packed", "r.jsonl.gz", good, "r.jsonl.gz:1: gzip: invalid header"},
		{"packed, cut off", "r.jsonl.gz", packed(good + good)[:60], "r.jsonl.gz:"},
		{"packed, not JSON", "r.jsonl.gz", packed(good + "oops"), "r.jsonl.gz:2: not one JSON object"},
		{"a giant line", "r.jsonl", good + strings.Repeat("x", 5<<20), "r.jsonl:2: bufio.Scanner: token too long"},
	} {
		err := agent.NewRecordings().Add(c.file, strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}

func TestLoadRecordings(t *testing.T) {
	good := line(ask("T-1", "a", 1, 1), "x")
	fsys := fstest.MapFS{
		"rec/b.jsonl":   {Data: []byte("\n{\"note\":\"a line without a key\"}\n" + good)},
		"rec/a.jsonl":   {Data: []byte(line(ask("T-1", "a", 1, 1), "first file first"))},
		"rec/README.md": {Data: []byte("not a recording")},
		"empty/x.txt":   {},
		"bad/a.jsonl":   {Data: []byte("{")},
	}
	r, err := agent.LoadRecordings(fsys, "rec")
	if err != nil || r.Len() != 2 {
		t.Fatal(err)
	}
	if got, err := r.Complete(context.Background(), ask("T-1", "a", 1, 1)); err != nil || got.Content != "first file first" {
		t.Errorf("%q, %v", got.Content, err)
	}
	for dir, says := range map[string]string{"empty": "no *.jsonl", "none": "recordings: open none", "bad": "bad/a.jsonl:1: "} {
		if _, err := agent.LoadRecordings(fsys, dir); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestRecordings_RecordedError(t *testing.T) {
	r := agent.NewRecordings()
	text := `{"key":"00000000000000ff","request":{"model":"m"},"meta":{"task_id":"T-1","variant":"agent","step":1},"error":{"message":"slow\u001b down","status":429}}`
	if err := r.Add("a.jsonl", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	_, err := r.Complete(context.Background(), ask("T-1", "a", 1, 1))
	if err == nil || err.Error() != `provider_error: status 429: slow\x1b down` {
		t.Error(err)
	}
}

type fixedClock struct{ at time.Time }

func (c fixedClock) Now() time.Time                            { return c.at }
func (c fixedClock) Wait(context.Context, time.Duration) error { return nil }

// What a Recorder wrote answers the same run exactly, without a note.
func TestRecorder_WritesWhatRecordingsRead(t *testing.T) {
	answers := []resolver.ModelResponse{look(ownOrder), finish("resolve", refund(ownOrder, "9.95"))}
	answers[0].Latency = 1691 * time.Millisecond
	var out bytes.Buffer
	recorder := &agent.Recorder{Model: record(t, agent.VariantAgent, answers...), Out: &out, Reconstructed: true,
		Clock: fixedClock{time.Date(2026, 10, 9, 13, 0, 0, 0, time.UTC)}}
	first, _ := run(t, agent.VariantAgent, &shop{}, recorder)
	if err := recorder.Err(); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"latency_s":1.691,`, `"at":"2026-10-09T13:00:00Z","reconstructed":true}`, `"state":"4f53cda1"`} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %s in %s", part, out.String())
		}
	}
	r := agent.NewRecordings()
	if err := r.Add("a.jsonl", bytes.NewReader(out.Bytes())); err != nil {
		t.Fatal(err)
	}
	second, _ := run(t, agent.VariantAgent, &shop{}, r)
	for _, e := range second.Events {
		if e.Kind == "note" {
			t.Errorf("note %s", e.Text)
		}
	}
	if diff := cmp.Diff(first.Messages, second.Messages); diff != "" || first.Usage != second.Usage {
		t.Errorf("%+v, %+v\n%s", first.Usage, second.Usage, diff)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// An answer that was paid for is not lost because it can't be written down.
func TestRecorder_BrokenWriter(t *testing.T) {
	recorder := &agent.Recorder{Model: record(t, agent.VariantAgent, finish("reply_only")), Out: broken{}}
	if s, _ := run(t, agent.VariantAgent, &shop{}, recorder); s.Status != resolver.Done || recorder.Err() == nil {
		t.Errorf("%s, %v", s.Status, recorder.Err())
	}
}

func TestRecorder_WritesErrors(t *testing.T) {
	var out bytes.Buffer
	recorder := &agent.Recorder{Model: failing{&resolver.ModelError{Code: agent.StopProviderError, Message: "status 500"}}, Out: &out}
	run(t, agent.VariantAgent, &shop{}, recorder)
	r := agent.NewRecordings()
	if err := r.Add("a.jsonl", &out); err != nil {
		t.Fatal(err)
	}
	if s, _ := run(t, agent.VariantAgent, &shop{}, r); s.StopReason != agent.StopProviderError {
		t.Error(s.StopReason)
	}
}

// FuzzRecordings: a reader of any bytes gives an error or recordings that a run can be replayed from.
func FuzzRecordings(f *testing.F) {
	good := line(ask("T-1", "a", 1, 1), "x")
	f.Add([]byte(good), false)
	f.Add([]byte(recordingLine(f, "00000000000000ff", "agent", 1, 1, look(ownOrder))), false)
	f.Add([]byte(recordingLine(f, "00000000000000ff", "agent", 1, 1, finish("resolve", refund(ownOrder, "9.95")))), false)
	f.Add([]byte("\x1f\x8b\x08\x00"), true)
	f.Add([]byte(`{"key":"00000000000000ff","request":{"model":"\`), false)
	f.Fuzz(func(t *testing.T, data []byte, packed bool) {
		name := "f.jsonl"
		if packed {
			name += ".gz"
		}
		r := agent.NewRecordings()
		if err := r.Add(name, bytes.NewReader(data)); err != nil {
			return
		}
		run(t, agent.VariantAgent, &shop{}, r)
	})
}
