package larkfield_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
	"github.com/paytwice/paytwice/resolver/larkfield"
)

func TestEmbedded_Counts(t *testing.T) {
	d := larkfield.Dataset()
	got := []int{len(d.Customers), len(d.Orders), len(d.Items), len(d.Products), len(d.Shipments), len(d.Payments), len(d.Refunds), len(d.Labels),
		len(larkfield.Tasks()), len(larkfield.Policy())}
	if diff := cmp.Diff([]int{86, 87, 98, 31, 89, 95, 3, 3, 70, 22}, got); diff != "" {
		t.Error(diff)
	}
	// 420 runs; what a copy of the data may weigh inside a binary is a promise to those who import it.
	if n := larkfield.Recordings().Len(); n < 420 {
		t.Errorf("%d recorded calls", n)
	}
	size := int64(0)
	err := fs.WalkDir(larkfield.Embedded(), ".", func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		size += info.Size()
		return err
	})
	if err != nil || size > 1<<20 {
		t.Errorf("%d bytes embedded, %v", size, err)
	}
}

func TestTaskByID(t *testing.T) {
	task, ok := larkfield.TaskByID("T-65273")
	want := []resolver.Action{{Tool: resolver.RequestRefund, OrderID: "LK-507862", AmountCents: 119_00, ReasonCode: "RFD-DOUBLE", PaymentID: "PAY-507862-2"}}
	if !ok || task.CustomerID != "C-10507" || task.Slice != "simple" || task.Expected.Rule != "W7" {
		t.Errorf("%+v", task)
	}
	if diff := cmp.Diff(want, task.Expected.Actions); diff != "" {
		t.Error(diff)
	}
	if _, ok := larkfield.TaskByID("T-1"); ok {
		t.Error("T-1 is there")
	}
	failing, _ := larkfield.TaskByID("T-90602")
	if len(failing.Faults) != 1 || failing.Faults[0].String() != "get_payments:unavailable:99" || len(failing.Forbidden) != 1 {
		t.Errorf("%+v", failing)
	}
}

func TestForbidden_Matches(t *testing.T) {
	task, _ := larkfield.TaskByID("T-90501")
	for _, c := range []struct {
		action resolver.Action
		want   bool
	}{
		{resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-644001", AmountCents: 51_90}, true},
		{resolver.Action{Tool: resolver.RequestRefund, OrderID: "LK-644001", AmountCents: 9_95}, false},
		{resolver.Action{Tool: resolver.ReshipItem, OrderID: "LK-644001", SKU: "X", Quantity: 1}, true},
		{resolver.Action{Tool: resolver.ReshipItem, OrderID: "LK-644002", SKU: "X", Quantity: 1}, false},
	} {
		got := false
		for _, f := range task.Forbidden {
			got = got || f.Matches(c.action)
		}
		if got != c.want {
			t.Errorf("%+v: %t", c.action, got)
		}
	}
}

// folder is a copy of the embedded files, as a learner's own copy would be.
func folder(t testing.TB) fstest.MapFS {
	t.Helper()
	copied := fstest.MapFS{}
	err := fs.WalkDir(larkfield.Embedded(), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := fs.ReadFile(larkfield.Embedded(), path)
		copied[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

// load reads a folder with the readers that the embedded files go through.
func load(fsys fs.FS) error {
	if _, err := larkfield.LoadData(fsys); err != nil {
		return err
	}
	if _, err := larkfield.LoadTasks(fsys); err != nil {
		return err
	}
	if _, err := larkfield.LoadPolicy(fsys); err != nil {
		return err
	}
	_, err := agent.LoadRecordings(fsys, larkfield.RecordingsDir)
	return err
}

func TestLoad_ACopyFromDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, folder(t)); err != nil {
		t.Fatal(err)
	}
	if err := load(os.DirFS(dir)); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "payments.csv")); err != nil {
		t.Fatal(err)
	}
	if err := load(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "payments.csv: ") {
		t.Error(err)
	}
}

// A learner's copy of the course's own files is written as these are, in any line ending.
func TestLoad_OtherLineEnds(t *testing.T) {
	copied := folder(t)
	for path, file := range copied {
		if !strings.HasSuffix(path, ".gz") {
			file.Data = []byte(strings.ReplaceAll(string(file.Data), "\n", "\r\n"))
		}
	}
	if err := load(copied); err != nil {
		t.Error(err)
	}
}

func TestLoad_Errors(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, says string }{
		{"empty", "orders.csv", "", "", "orders.csv:1: the file is empty"},
		{"columns", "products.csv", "sku,product", "product,sku", `products.csv:1: the columns are "product,sku`},
		{"too few fields", "customers.csv", "C-15360,en", "C-15360", "customers.csv:3: wrong number of fields"},
		{"a quote", "orders.csv", "LK-179785,", `LK-179785",`, `orders.csv:3: bare " in non-quoted-field`},
		{"three decimals", "payments.csv", ",44.45,", ",44.455,", `payments.csv:2: amount: "44.455" has more than two decimals`},
		{"a negative amount", "orders.csv", ",9.95,44.45,", ",-9.95,44.45,", "orders.csv:2: shipping_fee: "},
		{"no date", "orders.csv", "2026-09-14", "14.9.2026", `orders.csv:2: ordered_on: "14.9.2026" is not a date`},
		{"an impossible date", "orders.csv", "2026-09-14", "2026-02-30", `orders.csv:2: ordered_on`},
		{"no number", "order_items.csv", "garden hose (25 m),1,", "garden hose (25 m),one,", "order_items.csv:2: quantity: "},
		{"no flag", "products.csv", "24.0,1,6", "24.0,yes,6", "products.csv:2: change_of_mind_return: "},
		{"no id", "orders.csv", "LK-118342", "LK 118342", `orders.csv:2: order_id: "LK 118342"`},
		{"an escape in an id", "orders.csv", "LK-118342", "LK-\x1b[2J", `orders.csv:2: order_id: "LK-\x1b[2J"`},
		{"not UTF-8", "order_items.csv", "garden hose", "garden \xff", "order_items.csv:2: product: the text is not UTF-8"},
		{"an id twice", "payments.csv", "PAY-179785-1,", "PAY-118342-1,", "payments.csv: PAY-118342-1 stands there twice"},
		{"an unknown order", "payments.csv", "PAY-179785-1,LK-179785", "PAY-179785-1,LK-000000", "payments.csv: PAY-179785-1 is of no order"},
		{"an unknown product", "order_items.csv", "HOSE-25", "HOSE-99", "order_items.csv: LK-118342 HOSE-99 is of no order or no product"},
		{"a line that is no ticket", "tasks.jsonl", `{"acceptable_outcomes"`, `oops`, "tasks.jsonl:1: not a ticket: "},
		{"an unknown field", "tasks.jsonl", `"slice"`, `"slize"`, `tasks.jsonl:1: not a ticket: unknown field "slize"`},
		{"two on a line", "tasks.jsonl", "}\n{", "}{", "tasks.jsonl:1: something follows the ticket"},
		{"a ticket twice", "tasks.jsonl", "T-80005", "T-80008", "tasks.jsonl:2: T-80008 stands there twice"},
		{"an unknown outcome", "tasks.jsonl", `"outcome": "reply_only"`, `"outcome": "approve"`, `tasks.jsonl:1: expected outcome "approve"`},
		{"a bad action", "tasks.jsonl", `"sku": "RUG-W"`, `"sku": ""`, "tasks.jsonl:3: expected action 1: create_return_label names no sku"},
		{"a bad expression", "tasks.jsonl", `"must_not_say": []`, `"must_not_say": ["("]`, "tasks.jsonl:1: must_not_say: "},
		{"a bad fault", "tasks.jsonl", `"mode": "timeout",`, `"mode": "explode",`, "fault get_order:explode:1"},
		{"text before a section", "policy.md", "## H1 ·", "hello\n## H1 ·", `policy.md:3: "hello" stands before the first section`},
		{"a heading of another form", "policy.md", "## H2 · ", "## H2: ", `policy.md:6: a section begins with "## ID · Title"`},
		{"a section twice", "policy.md", "## H2 ·", "## H1 ·", "policy.md:6: the section H1 stands there twice"},
		{"a section without text", "policy.md", "## H2 ·", "## H0 · Empty\n## H2 ·", "policy.md:7: the section H0 before this line has no text"},
		{"broken gzip", "recordings/agent-chat-small.jsonl.gz", "\x1f\x8b", "PK", "recordings/agent-chat-small.jsonl.gz:1: gzip: invalid header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied := folder(t)
			data := string(copied[c.file].Data)
			if !strings.Contains(data, c.old) {
				t.Fatalf("no %q in %s", c.old, c.file)
			}
			changed := strings.Replace(data, c.old, c.new, 1)
			if c.old == "" {
				changed = ""
			}
			copied[c.file] = &fstest.MapFile{Data: []byte(changed)}
			if err := load(copied); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
		})
	}
	for name := range folder(t) {
		if strings.HasPrefix(name, larkfield.RecordingsDir) {
			continue
		}
		copied := folder(t)
		delete(copied, name)
		if err := load(copied); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func FuzzParseTasks(f *testing.F) {
	data, err := fs.ReadFile(larkfield.Embedded(), larkfield.TasksFile)
	if err != nil {
		f.Fatal(err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		if i%10 == 0 {
			f.Add(line)
		}
	}
	f.Add("{}")
	f.Add(`{"task_id":"T-1","customer_id":"C-1","expected":{"outcome":"resolve","actions":[{"amount":1e9}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := larkfield.ParseTasks("f.jsonl", strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.jsonl:") {
				t.Errorf("no file and line: %v", err)
			}
			return
		}
		seen := map[string]bool{}
		for _, task := range tasks {
			if task.ID == "" || seen[task.ID] || task.Attachments == nil {
				t.Errorf("%+v", task)
			}
			seen[task.ID] = true
		}
	})
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("# T\n\n## A · B\ntext\n")
	f.Fuzz(func(t *testing.T, text string) {
		passages, err := larkfield.ParsePolicy("p.md", strings.NewReader(text))
		if err == nil && len(passages) == 0 {
			t.Error("no passages and no error")
		}
		for _, p := range passages {
			if p.ID == "" || p.Title == "" || p.Text == "" {
				t.Errorf("%+v", p)
			}
		}
	})
}

func FuzzReadOrders(f *testing.F) {
	f.Add("order_id,customer_id,status,ordered_on,shipped_on,delivered_on,shipping_fee,total,currency,note\nLK-1,C-1,new,2026-10-01,,,0.00,1.50,CAD,\"a\nb\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		orders, err := larkfield.ReadOrders("o.csv", strings.NewReader(text))
		if err != nil && !strings.HasPrefix(err.Error(), "o.csv:") {
			t.Errorf("no file: %v", err)
		}
		for _, o := range orders {
			if o.OrderID == "" || o.TotalCents < 0 {
				t.Errorf("%+v", o)
			}
		}
	})
}

// What is read of one ticket alone is what is read of it among all.
func TestOneTicketAlone(t *testing.T) {
	calls := 0
	for _, want := range larkfield.Tasks() {
		got, ok := larkfield.TaskByID(want.ID)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("%s (-among all +alone):\n%s", want.ID, diff)
		}
		alone, all := larkfield.RecordingsOf(want.ID), larkfield.Recordings()
		calls += alone.Len()
		for _, of := range [][2]string{{"agent", "chat-small"}, {"agent_structured", "chat-strong"}} {
			if diff := cmp.Diff(all.Repeats(want.ID, of[0], of[1]), alone.Repeats(want.ID, of[0], of[1])); diff != "" {
				t.Errorf("%s, repeats of %s (-among all +alone):\n%s", want.ID, of[0], diff)
			}
		}
	}
	if calls != larkfield.Recordings().Len() {
		t.Errorf("%d calls by ticket, %d in all", calls, larkfield.Recordings().Len())
	}
	if _, ok := larkfield.TaskByID("C-10507"); ok {
		t.Error("a customer is taken for a ticket")
	}
}
