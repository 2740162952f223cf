package field

import "github.com/paytwice/paytwice/explorer/history"

// F03: https://github.com/stripe/stripe-ruby/pull/598
//
// From one version of a client library on, the key given to the first call stayed among the options of
// the object that made it, and went out with later calls of that object: paying an invoice carried the
// key of creating it. A provider that compares bodies refuses that; one that compares keys alone answers
// with the first call's success, and the payment is lost without a sound.
//
// Class: key collision, lost write. Right: a key belongs to one call.
func f03() report {
	return report{
		id: "F03", doc: "a key leaks from one request into the next",
		link:    "https://github.com/stripe/stripe-ruby/pull/598",
		profile: "key-only", faults: []string{"lose-response"}, expect: "lost-write",
		jobs: []job{{"T-1", []history.Intent{
			intent("T-1/create", "create", "INV-1", 0, "invoice"),
			intent("T-1/pay", "pay", "INV-1", 4990, "invoice"),
		}}},
		operations: "call", live: f03Live,
	}
}

func f03Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	client := f03Client{proc: p}
	for _, i := range p.jobs[0].intents {
		_, made, err := p.find("call", i.ID)
		if err != nil {
			return history.Failed, err
		}
		if made {
			continue
		}
		a := client.do(i)
		if !a.applied() {
			return history.Failed, a.err()
		}
		if _, err := p.insert(row{Table: "call", ID: i.ID, Run: "T-1", Intent: i.ID, State: done, Record: a.record}); err != nil {
			return history.Failed, err
		}
	}
	return p.end("T-1", done)
}

// f03Client is the object that makes the calls of one invoice.
type f03Client struct {
	*proc
	key string // of the options that the latest call was made with
}

func (c *f03Client) do(i history.Intent) answer {
	if !c.broken || c.key == "" {
		c.key = i.ID
	}
	return c.send(request{tool: i.Tool, key: c.key, body: changeOf(i)})
}
