package field

import (
	"github.com/paytwice/paytwice/explorer/history"
	"github.com/paytwice/paytwice/faults/provider"
)

// F09: https://github.com/aws/aws-sdk-java-v2/issues/6580
//
// A write "only if there is none yet" reached the server, its answer was lost, and the client library
// sent it again by itself. The repeat met the object made a moment before and was refused, so the
// application was told that somebody else had won, although its own write had worked.
//
// Class: precondition self-conflict, done and reported failed. Right: upon "there is one already", look
// whose it is. One's own is a success; only somebody else's is a conflict.
func f09() report {
	return report{
		id: "F09", doc: "the client's own first write makes its retry fail the precondition",
		link:    "https://github.com/aws/aws-sdk-java-v2/issues/6580",
		profile: "no-key", faults: []string{"lose-response", "world rival"}, expect: "state-mismatch", keyless: noneSendsKeys,
		jobs:       []job{{"T-1", []history.Intent{intent("T-1/manifest", "put", "MANIFEST-1", 0, "manifest")}}},
		operations: "object", rule: f09Rule, live: f09Live,
		events: map[string]func(*machine) error{"rival": func(m *machine) error {
			theirs := change{Intent: "rival/manifest", Subject: "MANIFEST-1", Reason: "manifest"}
			_, err := m.engine.Do(&m.provider, outgoing(request{tool: "put", body: theirs, caller: "rival"}), m.apply)
			return err
		}},
	}
}

func f09Live(p *proc) (history.End, error) {
	job, open, err := p.take("T-1")
	if err != nil || !open {
		return endOf(job.State), err
	}
	object, found, err := p.find("object", "T-1")
	if err != nil {
		return history.Failed, err
	}
	i := p.jobs[0].intents[0]
	if !found {
		object, err = p.insert(row{Table: "object", ID: "T-1", Run: "T-1", Intent: i.ID, State: pending, Body: changeOf(i)})
		if err != nil {
			return history.Failed, err
		}
	}
	a := f09Put(p, object.Body)
	if a.refused() && !p.broken {
		f, err := p.settle("put", object.Body, p.now())
		switch {
		case err != nil:
			return history.Failed, err
		case f.found():
			a = answer{kind: history.Applied, record: f.record}
		case !f.foreign:
			return history.Failed, a.err()
		}
	}
	outcome := done
	switch {
	case a.applied():
		object.State, object.Record = done, a.record
	case a.refused():
		object.State, outcome = failed, person
	default:
		return history.Failed, a.err()
	}
	if err := p.update(object); err != nil {
		return history.Failed, err
	}
	return p.end("T-1", outcome)
}

// f09Put is the library's call, with its own repeat where no answer comes.
func f09Put(p *proc, body change) answer {
	a := p.send(request{tool: "put", body: body})
	if a.kind == history.NoAnswer {
		a = p.send(request{tool: "put", body: body})
	}
	return a
}

// f09Rule is the condition of the write: there is none yet.
func f09Rule(m *machine, e effect) error {
	for _, other := range m.provider.Ledger {
		if other.Payload.Subject == e.Payload.Subject {
			return &provider.Refusal{Code: "precondition_failed", Message: "there is one already"}
		}
	}
	return nil
}
