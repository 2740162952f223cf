package provider_test

import (
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytwice/paytwice/faults/provider"
)

func ask(p provider.Profile) map[string]string {
	answers := map[string]string{}
	for _, probe := range probes {
		answers[probe.name] = probe.ask(p)
	}
	return answers
}

func TestProfiles_BehaveAsTheirServices(t *testing.T) {
	for _, p := range provider.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			if diff := cmp.Diff(behaviour[p.Name], ask(p)); diff != "" {
				t.Errorf("behaviour (-want +got):\n%s", diff)
			}
		})
	}
	if len(behaviour) != len(provider.Profiles()) {
		t.Errorf("%d profiles, %d described", len(provider.Profiles()), len(behaviour))
	}
}

// variants has every other value that a field of a profile may take. Each must show in the behaviour of
// each profile, or else the table above would not notice that a profile changed.
var variants = map[string][]any{
	"Stores": {provider.StoresNothing, provider.StoresEveryAnswer, provider.StoresSuccesses,
		provider.StoresFinal, provider.StoresChange},
	"MismatchStatus":    {0, 400, 409, 422},
	"InFlight":          {provider.InFlightExecutes, provider.InFlightRefused, provider.InFlightOneWins},
	"Repeat":            {provider.RepeatExecutes, provider.RepeatFirst, provider.RepeatCurrent, provider.RepeatNewer, provider.RepeatContinues},
	"KeyTTL":            {time.Duration(0), time.Minute, 10 * time.Minute, 24 * time.Hour},
	"TTLFrom":           {provider.FromFirstUse, provider.FromCompletion},
	"Scoped":            {false, true},
	"TransientFlag":     {false, true},
	"CancelByKey":       {false, true},
	"Lookup":            {provider.LookupNone, provider.LookupStrong, provider.LookupLagging},
	"Lag":               {time.Second, time.Minute},
	"UnavailableIsSafe": {false, true},
}

// matters reports whether a field means anything to a profile; where it doesn't, the next test holds the
// profile to the value that says so.
func matters(field string, p provider.Profile) bool {
	switch field {
	case "MismatchStatus", "InFlight", "Repeat", "KeyTTL", "Scoped":
		return p.Keys()
	case "TTLFrom":
		return p.Keys() && p.KeyTTL > 0
	case "Lag":
		return p.Lookup == provider.LookupLagging
	}
	return true
}

func TestProfiles_EveryFieldShows(t *testing.T) {
	fields := reflect.VisibleFields(reflect.TypeFor[provider.Profile]())
	for _, p := range provider.Profiles() {
		for _, f := range fields {
			if f.Name == "Name" || f.Name == "Source" {
				continue
			}
			if len(variants[f.Name]) == 0 {
				t.Fatalf("no variants of field %s", f.Name)
			}
			for _, v := range variants[f.Name] {
				changed := p
				field := reflect.ValueOf(&changed).Elem().FieldByName(f.Name)
				field.Set(reflect.ValueOf(v).Convert(field.Type()))
				if changed == p || !matters(f.Name, p) {
					continue
				}
				if f.Name == "Lookup" && v == provider.LookupLagging && changed.Lag == 0 {
					changed.Lag = time.Second
				}
				if cmp.Equal(ask(p), ask(changed)) {
					t.Errorf("%s: nothing shows that %s became %v", p.Name, f.Name, v)
				}
			}
		}
	}
}

func TestProfiles_FieldsWithoutMeaningAreLeftOut(t *testing.T) {
	for _, p := range provider.Profiles() {
		if !p.Keys() && (p.Repeat != provider.RepeatExecutes || p.InFlight != provider.InFlightExecutes || p.MismatchStatus != 0 || p.KeyTTL != 0) {
			t.Errorf("%s has no keys, but says how it treats them", p.Name)
		}
		if p.Lookup != provider.LookupLagging && p.Lag != 0 {
			t.Errorf("%s has no lagging look-up, but a lag", p.Name)
		}
		if (p.KeyTTL == 0) != (p.TTLFrom == "") {
			t.Errorf("%s: a lifetime and the moment from which it counts belong together", p.Name)
		}
		if u, err := url.Parse(p.Source); err != nil || u.Scheme != "https" || u.Host == "" {
			t.Errorf("%s: %q is no source", p.Name, p.Source)
		}
	}
}

func TestByName(t *testing.T) {
	for _, p := range provider.Profiles() {
		if got, ok := provider.ByName(p.Name); !ok || got != p {
			t.Errorf("ByName(%q) = %v, %v", p.Name, got, ok)
		}
	}
	if _, ok := provider.ByName("replay-none"); ok {
		t.Error("ByName found a profile that does not exist")
	}
}
