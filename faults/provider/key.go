package provider

// lookAtKey returns the answer that the key alone decides, or nil when the request is to be executed.
// It leaves the record of the key in w.
func (w *work[P]) lookAtKey() (*Answer, error) {
	w.keyed = w.engine.Profile.Keys() && w.request.Key != ""
	if !w.keyed {
		return nil, nil
	}
	w.record = w.fresh()
	record, found, err := w.reg.Key(w.record.Key)
	if err != nil || !found || w.engine.expired(record, w.now) {
		return nil, err
	}
	if answer := w.mismatch(record); answer != nil {
		return answer, nil
	}
	if record.Open {
		return w.inFlight(record), nil
	}
	answer, err := w.repeat(record)
	if answer == nil && err == nil {
		w.record.FirstAt = record.FirstAt // what is carried on is the same request: its key gets no new life
	}
	return answer, err
}

// fresh is the record of a key that is used for the first time.
func (w *work[P]) fresh() KeyRecord[P] {
	return KeyRecord[P]{
		Key: w.engine.keyName(w.request), Tool: w.request.Tool, Caller: w.request.Caller,
		Payload: w.request.Payload, FirstAt: w.now,
	}
}

func (w *work[P]) mismatch(record KeyRecord[P]) *Answer {
	status := w.engine.Profile.MismatchStatus
	if status == 0 || record.Tool == w.request.Tool && record.Payload == w.request.Payload {
		return nil
	}
	return &Answer{
		Status: status, Code: "key_reused", Operation: w.name,
		Message: "the key " + w.request.Key + " was used for another request",
	}
}

// inFlight answers a repeat whose first request is still being worked on; nil lets it be executed.
func (w *work[P]) inFlight(record KeyRecord[P]) *Answer {
	orphaned := w.now.Sub(record.FirstAt) >= OrphanAfter
	if orphaned || w.engine.Profile.InFlight != InFlightRefused {
		return nil
	}
	code := "in_flight"
	if w.engine.Profile.TransientFlag {
		code = "704"
	}
	return w.fault(409, code, "a request under the key "+w.request.Key+" is being worked on")
}

// repeat answers a request whose key is remembered; nil lets it be executed.
func (w *work[P]) repeat(record KeyRecord[P]) (*Answer, error) {
	answer := record.Answer
	answer.Repeated = true
	stands, err := w.stands(answer)
	if err != nil {
		return nil, err
	}
	switch w.engine.Profile.Repeat {
	case RepeatExecutes:
		return nil, nil
	case RepeatCurrent:
		if !stands {
			answer.Status, answer.Code, answer.Reversed = 422, "reversed", true
			answer.Message = answer.Record + " was confirmed and failed afterwards"
		}
	case RepeatNewer:
		answer.Reversed = !stands
	case RepeatContinues:
		if !answer.OK() || !stands {
			return nil, nil
		}
	}
	answer = w.sent(w.distort(answer))
	return &answer, nil
}

// stands reports whether the change that an answer speaks of is still in force; an answer without a
// change stands.
func (w *work[P]) stands(a Answer) (bool, error) {
	if a.Seq == 0 {
		return true, nil
	}
	effects, err := w.reg.Effects()
	if err != nil {
		return false, err
	}
	return effects[a.Seq-1].Stands(w.now), nil
}

// remember writes down what the profile keeps of a finished request, and frees the key if it keeps
// nothing: a claim must not outlive its request.
func (w *work[P]) remember(outcome, answer Answer) error {
	if !w.keyed {
		return nil
	}
	keep, kept := false, outcome
	switch w.engine.Profile.Stores {
	case StoresEveryAnswer:
		keep, kept = true, answer
	case StoresSuccesses:
		keep = answer.OK()
	case StoresFinal:
		keep = outcome.Status < 500
	case StoresChange:
		keep = outcome.OK()
	}
	if !keep {
		return w.reg.DropKey(w.record.Key)
	}
	w.record.Open, w.record.DoneAt, w.record.Answer = false, w.now, kept
	return w.reg.PutKey(w.record)
}
