package explorer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInherited(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"-test.run=X", "-test.short", "-test.v=true", "-test.paniconexit0", "-test.timeout", "1m", "-mine", "a"}, []string{"-test.short", "-test.v=true", "-mine", "a"}},
		{[]string{"--test.count=2", "--mine=b", "c", "--", "-test.run=Y"}, []string{"--mine=b", "c", "--", "-test.run=Y"}},
		{[]string{"-test.coverprofile", "f", "-test.fuzz=F"}, nil},
	} {
		if diff := cmp.Diff(c.want, inherited(c.args)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.args, diff)
		}
	}
}
