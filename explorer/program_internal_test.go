package explorer

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInherited(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"-test.run=X", "-test.short", "-test.v=true", "-test.paniconexit0", "-test.timeout", "1m", "-mine", "a"}, []string{"-test.short", "-mine", "a"}},
		{[]string{"--test.count=2", "--mine=b", "c", "--", "-test.run=Y"}, []string{"--mine=b", "c", "--", "-test.run=Y"}},
		{[]string{"-test.coverprofile", "f", "-test.fuzz=F"}, nil},
	} {
		if diff := cmp.Diff(c.want, inherited(c.args)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.args, diff)
		}
	}
}

// The code lines of a failure are those of the program, also in a module whose path looks like the standard
// library's.
func TestOfStandardLibrary(t *testing.T) {
	known := []string{"shop", "example.com/lib", "encoding/mine"}
	for function, want := range map[string]bool{
		"net/http.(*Client).Do": true, "fmt.Println": true, "encoding/json.Marshal": true, "shopping.Go": true,
		"shop.Refund": false, "shop.(*Shop).Refund.func1": false, "shop/sub.Go": false, "shop_test.TestX": false, "main.main": false,
		"example.com/lib.Go": false, "example.org/other/sub.Go": false, "encoding/mine.Go": false, "gopkg.in/yaml%2ev3.Unmarshal": false,
	} {
		if got := ofStandardLibrary(function, known); got != want {
			t.Errorf("%s: %v", function, got)
		}
	}
	if !slices.Contains(modules(), "github.com/paytwice/paytwice") {
		t.Errorf("the modules of this binary are %q", modules())
	}
}
