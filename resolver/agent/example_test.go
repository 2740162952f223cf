package agent_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/paytwice/paytwice/resolver"
	"github.com/paytwice/paytwice/resolver/agent"
)

// A recorded answer is replayed to its end; the trace is in the state.
func ExampleLoop() {
	line := `{"key":"0123456789abcdef","request":{"model":"chat-small"},"meta":{"task_id":"T-1","variant":"agent","step":1},"latency_s":1.5,` +
		`"response":{"choices":[{"message":{"tool_calls":[{"id":"c1","function":{"name":"finish","arguments":` +
		`"{\"outcome\":\"reply_only\",\"rule\":\"W1\",\"actions\":[],\"reply\":\"It is on its way.\",\"reason\":\"Not late.\"}"}}]}}],` +
		`"usage":{"prompt_tokens":900,"completion_tokens":60}}}`
	recorded := agent.NewRecordings()
	if err := recorded.Add("course.jsonl", strings.NewReader(line)); err != nil {
		fmt.Println(err)
		return
	}
	ticket := resolver.Ticket{ID: "T-1", CustomerID: "C-1", Text: "Where is my parcel?"}
	s := resolver.NewState(ticket, "T-1-agent-chat-small-1", agent.VariantAgent, "chat-small", 1)
	loop := &agent.Loop{Model: recorded}
	if err := loop.Run(context.Background(), ticket, s, nil); err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range s.Events {
		fmt.Printf("%3d  %-10s%s\n", e.Step, e.Kind, e.Text)
	}
	fmt.Println(s.Status, s.StopReason)
	// Output:
	//   1  model     finish | 900 in, 60 out | 1.500 s
	//   1  note      the request differs from the recorded one
	//   1  proposal  reply_only (W1)
	//   1  stop      finished
	// done finished
}

func ExampleParseResolution() {
	action := `{"tool":"request_refund","order_id":"LK-793996","sku":null,"quantity":null,"amount":%s,"reason":"RFD-LATE","payment_id":null}`
	for _, amount := range []string{"9.95", "9.955"} {
		text := `{"outcome":"resolve","rule":"W2","reply":"","reason":"","actions":[` + fmt.Sprintf(action, amount) + `]}`
		p, err := agent.ParseResolution("T-90104", []byte(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(p.Summary(), p.Actions[0].AmountCents)
	}
	// Output:
	// resolve (W2): request_refund LK-793996 995
	// action 1: amount "9.955" has more than two decimals
}

func ExampleClean() {
	fmt.Println(agent.Clean("paid\x1b[2K\rnot paid"))
	// Output: paid\x1b[2K\x0dnot paid
}
