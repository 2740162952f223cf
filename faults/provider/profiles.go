package provider

import "time"

// lag is the delay of every look-up that is not strong.
const lag = 5 * time.Second

const day = 24 * time.Hour

// Profiles returns every profile, in the order in which people list them.
func Profiles() []Profile {
	return []Profile{
		ReplayAll(), Resume(), LatestStatus(), SuccessOnly(), TransientFlag(), KeyOnly(),
		NoKey(), ScopedToken(), CancelByKey(), Blind(), Larkfield(),
	}
}

// ByName returns the profile of that name, and whether there is one.
func ByName(name string) (Profile, bool) {
	for _, p := range Profiles() {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// ReplayAll remembers the first answer of every request that was started, a 500 included.
func ReplayAll() Profile {
	return Profile{
		Name:           "replay-all",
		Source:         "https://docs.stripe.com/api/idempotent_requests",
		Stores:         StoresEveryAnswer,
		MismatchStatus: 400,
		InFlight:       InFlightRefused,
		Repeat:         RepeatFirst,
		KeyTTL:         day, // "at least 24 h": the earliest that a caller must expect
		TTLFrom:        FromFirstUse,
		Lookup:         LookupStrong,
	}
}

// Resume answers a repeat of a success, and drives a failed request on towards completion.
func Resume() Profile {
	return Profile{
		Name:           "resume",
		Source:         "https://docs.stripe.com/api-v2-overview#idempotency",
		Stores:         StoresChange,
		MismatchStatus: 400,
		InFlight:       InFlightRefused,
		Repeat:         RepeatContinues,
		KeyTTL:         30 * day,
		TTLFrom:        FromFirstUse,
		Lookup:         LookupStrong,
	}
}

// LatestStatus answers a repeat with what has become of the first request by now.
func LatestStatus() Profile {
	return Profile{
		Name:           "latest-status",
		Source:         "https://developer.paypal.com/reference/guidelines/idempotency",
		Stores:         StoresChange,
		MismatchStatus: 422,
		InFlight:       InFlightRefused, // "the second might fail": no code is promised, 409 stands for it
		Repeat:         RepeatCurrent,
		KeyTTL:         45 * day,
		TTLFrom:        FromFirstUse,
		Lookup:         LookupStrong,
	}
}

// SuccessOnly remembers successes; after an error the change is tried again.
func SuccessOnly() Profile {
	return Profile{
		Name:           "success-only",
		Source:         "https://www.checkout.com/docs/payments/manage-payments/idempotency",
		Stores:         StoresSuccesses,
		MismatchStatus: 0, // nothing is published about another payload
		InFlight:       InFlightOneWins,
		Repeat:         RepeatFirst,
		KeyTTL:         day,
		TTLFrom:        FromFirstUse,
		Lookup:         LookupLagging,
		Lag:            lag,
	}
}

// TransientFlag remembers final results, and says of an error whether the same key may be tried again.
func TransientFlag() Profile {
	return Profile{
		Name:           "transient-flag",
		Source:         "https://docs.adyen.com/development-resources/api-idempotency/",
		Stores:         StoresFinal,
		MismatchStatus: 422,
		InFlight:       InFlightRefused,
		Repeat:         RepeatFirst,
		KeyTTL:         7 * day, // "7 to 14 days": the shorter one is what a caller may count on
		TTLFrom:        FromFirstUse,
		TransientFlag:  true,
		Lookup:         LookupLagging, // news comes by webhook
		Lag:            lag,
	}
}

// KeyOnly compares keys and never payloads: another request under a used key gets the first one's answer.
func KeyOnly() Profile {
	return Profile{
		Name:           "key-only",
		Source:         "https://docs.qonto.com/get-started/general/idempotent-requests",
		Stores:         StoresSuccesses,
		MismatchStatus: 0,
		InFlight:       InFlightOneWins, // nothing is published about requests at the same time
		Repeat:         RepeatFirst,
		KeyTTL:         30 * time.Minute,
		TTLFrom:        FromFirstUse,
		Lookup:         LookupLagging,
		Lag:            lag,
	}
}

// NoKey recognises nothing; what happened can be seen a little later.
func NoKey() Profile {
	return Profile{
		Name:     "no-key",
		Source:   "https://github.com/aws/aws-sdk-java-v2/issues/6580", // a put without a token: the own write looks like a rival's
		Stores:   StoresNothing,
		InFlight: InFlightExecutes,
		Repeat:   RepeatExecutes,
		Lookup:   LookupLagging,
		Lag:      lag,
	}
}

// ScopedToken keeps a client token for ten minutes after completion, within one scope.
func ScopedToken() Profile {
	return Profile{
		Name:           "scoped-token",
		Source:         "https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html",
		Stores:         StoresChange,
		MismatchStatus: 400,
		InFlight:       InFlightRefused,
		Repeat:         RepeatNewer,
		KeyTTL:         10 * time.Minute,
		TTLFrom:        FromCompletion,
		Scoped:         true,
		Lookup:         LookupLagging,
		Lag:            lag,
	}
}

// CancelByKey can take back what was made under a key. Cancelling nothing answers ok and leaves no
// mark, so a late original still applies.
func CancelByKey() Profile {
	return Profile{
		Name:           "cancel-by-key",
		Source:         "https://developer.squareup.com/explorer/square/payments-api/CancelPaymentByIdempotencyKey",
		Stores:         StoresEveryAnswer,
		MismatchStatus: 400,
		InFlight:       InFlightRefused, // nothing is published about requests at the same time
		Repeat:         RepeatFirst,
		KeyTTL:         day, // not published: a day is what a caller may hope for at most
		TTLFrom:        FromFirstUse,
		CancelByKey:    true,
		Lookup:         LookupLagging,
		Lag:            lag,
	}
}

// Blind has neither keys nor any look-up: after a lost answer nobody can know.
func Blind() Profile {
	return Profile{
		Name:     "blind",
		Source:   "https://github.com/own-pay/OwnPay/issues/222", // adapters that offer no status query
		Stores:   StoresNothing,
		InFlight: InFlightExecutes,
		Repeat:   RepeatExecutes,
		Lookup:   LookupNone,
	}
}

// Larkfield is the course's own service: keys for ever, one operation and its change in one
// transaction, and the first result again for whatever comes under the same id.
func Larkfield() Profile {
	return Profile{
		Name:              "larkfield",
		Source:            "https://github.com/usmanahmed99/nextia-learning-labs", // lesson "Side effects and retries"
		Stores:            StoresChange,
		MismatchStatus:    0,
		InFlight:          InFlightOneWins, // a late first call is answered with the second's result
		Repeat:            RepeatFirst,
		Lookup:            LookupStrong,
		UnavailableIsSafe: true,
	}
}
