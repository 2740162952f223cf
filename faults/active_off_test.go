//go:build paytwice_off

package faults_test

import (
	"testing"

	"github.com/paytwice/paytwice/faults"
)

// A program without points can't be armed: nothing would strike, and that would look like a pass.
func TestArm_WithoutPoints(t *testing.T) {
	in := faults.NewInjector(nil, faults.Options{})
	for name, arm := range map[string]func(){
		"Arm":          func() { faults.Arm(in) },
		"WithInjector": func() { faults.WithInjector(t.Context(), in) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			arm()
		}()
	}
	faults.Here(t.Context(), "Any Name")
	if faults.Armed(t.Context()) != nil || !faults.Off {
		t.Error("something is armed")
	}
}
