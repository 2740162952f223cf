package provider

import "time"

// Profile says how a service treats a repeated or late request. It is a plain value: compare it, copy
// it, change a field to get a service that nobody runs.
//
// Units: durations of the engine's clock. Zero: no keys, no look-up.
// Source: the address in Source; what a page leaves open is decided in the comment beside the field.
type Profile struct {
	Name string
	// Source is the address of the service's own words.
	Source string

	// Stores says what a key remembers; StoresNothing means that the service has no keys.
	Stores Stores
	// MismatchStatus answers a known key with another payload; 0 means that payloads are not compared.
	MismatchStatus int
	// InFlight says what becomes of a repeat while the first request is still being worked on.
	InFlight InFlight
	// Repeat says what a repeat of a remembered request answers.
	Repeat Repeat
	// KeyTTL is how long a key is remembered; 0 means for ever. After it the key is a new request's.
	KeyTTL time.Duration
	// TTLFrom is the moment from which KeyTTL counts.
	TTLFrom TTLFrom
	// Scoped: a key means something only within the request's scope, so the same key sent to another
	// region is a new request.
	Scoped bool
	// TransientFlag: an error answer says whether the same key may be tried again.
	TransientFlag bool
	// CancelByKey: a change can be taken back by the key it was made under.
	CancelByKey bool

	Lookup Lookup
	// Lag is how long a change stays hidden from a lagging look-up.
	Lag time.Duration
	// UnavailableIsSafe: a 503 says that nothing changed.
	UnavailableIsSafe bool
}

// Stores says what is remembered under a key.
type Stores string

const (
	// StoresNothing: no keys. Each request is executed.
	StoresNothing Stores = "nothing"
	// StoresEveryAnswer: the answer of every request that was started, errors included. A 500 is
	// replayed until the key expires, whether or not the change was made.
	StoresEveryAnswer Stores = "every answer"
	// StoresSuccesses: answers that said yes. Any other answer frees the key, even a 500 whose change
	// was made.
	StoresSuccesses Stores = "successes"
	// StoresFinal: what became of the request, yes or a definite no, whatever answer was sent. Passing
	// trouble is not remembered.
	StoresFinal Stores = "final results"
	// StoresChange: which change was made under the key and nothing else, so a request that changed
	// nothing may be tried again.
	StoresChange Stores = "the change"
)

// Repeat says what a repeat of a remembered request answers.
type Repeat string

const (
	// RepeatExecutes: nothing is recognised.
	RepeatExecutes Repeat = "executes again"
	// RepeatFirst: the first answer, word for word.
	RepeatFirst Repeat = "first answer"
	// RepeatCurrent: the state of the change now; one that failed meanwhile is answered as failed.
	RepeatCurrent Repeat = "current status"
	// RepeatNewer: a success, with the state of the change now beside it.
	RepeatNewer Repeat = "success, newer state"
	// RepeatContinues: a success is answered; what failed, also afterwards, is carried on.
	RepeatContinues Repeat = "continues what failed"
)

// InFlight says what becomes of a repeat while the first request is being worked on.
type InFlight string

const (
	// InFlightExecutes: both are executed.
	InFlightExecutes InFlight = "executes"
	// InFlightRefused: the repeat is answered 409 and not remembered.
	InFlightRefused InFlight = "409"
	// InFlightOneWins: whichever is executed first counts, the other gets its result.
	InFlightOneWins InFlight = "one wins"
)

// Lookup says whether, and how soon, a service can be asked what happened.
type Lookup string

const (
	// LookupNone: the service can't be asked.
	LookupNone Lookup = "none"
	// LookupStrong: a look-up sees every change.
	LookupStrong Lookup = "strong"
	// LookupLagging: a look-up does not see changes younger than Lag.
	LookupLagging Lookup = "lagging"
)

// TTLFrom is the moment from which a key's age counts.
type TTLFrom string

const (
	// FromFirstUse counts from the first request under the key.
	FromFirstUse TTLFrom = "first use"
	// FromCompletion counts from the end of that request.
	FromCompletion TTLFrom = "completion"
)

// OrphanAfter is how long a claim on a key holds when the request behind it never ends. After it the
// key is free: the next request under it is executed.
//
// Source: https://brandur.org/idempotency-keys (a lock older than 90 s is taken over).
const OrphanAfter = 90 * time.Second

// Keys reports whether a repeat under the same key is recognised at all.
func (p Profile) Keys() bool { return p.Stores != StoresNothing && p.Stores != "" }

// Capabilities is what a service declares to those who must find out what happened.
//
// Units: durations; a KeyTTL of 0 means for ever.
type Capabilities struct {
	Keys              bool
	KeyTTL            time.Duration
	Lookup            bool
	MaxDelay          time.Duration
	UnavailableIsSafe bool
	// SuccessHoldsKey: only an answer that says yes keeps the key; any other, even one whose change was
	// made, frees it.
	SuccessHoldsKey bool
}

// Capabilities returns what the profile lets its callers know. MaxDelay is the look-up's lag.
func (p Profile) Capabilities() Capabilities {
	c := Capabilities{
		Keys:              p.Keys(),
		KeyTTL:            p.KeyTTL,
		Lookup:            p.canLook(),
		UnavailableIsSafe: p.UnavailableIsSafe,
		SuccessHoldsKey:   p.Stores == StoresSuccesses,
	}
	if c.Lookup {
		c.MaxDelay = p.lag()
	}
	return c
}

func (p Profile) canLook() bool { return p.Lookup != LookupNone && p.Lookup != "" }

func (p Profile) lag() time.Duration {
	if p.Lookup == LookupLagging {
		return p.Lag
	}
	return 0
}
