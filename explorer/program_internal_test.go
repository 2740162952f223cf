package explorer

import (
	"slices"
	"strings"
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

// What ended a process is the last that it wrote, whatever stands before.
func TestCrash(t *testing.T) {
	const stack = "\n\ngoroutine 8 [running]:\nshop.Pay(0x1, {0x2, 0x3})\n\t/src/shop/pay.go:42 +0x1d\nexit status 2"
	for text, want := range map[string]string{
		"":                             "",
		"panic: it says":               "", // no stack follows
		"it says\npanic: it says, too": "",
		"panic: out of paper" + stack:  "panic: out of paper",
		"panic: first" + stack + "\npanic: out of paper [recovered, repanicked]" + stack: "panic: out of paper",
		"a line\nfatal error: concurrent map writes" + stack:                             "fatal error: concurrent map writes",
	} {
		got := crash(text)
		if got, _, _ = strings.Cut(got, " ("); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for stack, want := range map[string]string{
		"panic({0x1, 0x2})\n\t/go/src/runtime/panic.go:783 +0x132\nexample.com/shop.(*Shop).Refund(0x1, {0x2, 0x3})\n\t/src/shop/shop.go:33 +0x1d\n":                          "/src/shop/shop.go:33",
		"net/http.(*Client).Do(...)\n\t/go/src/net/http/client.go:5\nexample.com/shop.Pay.func1()\n\t/src/shop/pay.go:7\n":                                                    "/src/shop/pay.go:7",
		"github.com/paytwice/paytwice/explorer.runGuarded.func1()\n\t/paytwice/explorer/program_child.go:1 +0x1\ncreated by example.com/a.B in goroutine 1\n\t/b.go:1 +0x1\n": "",
		"": "",
	} {
		if got := ofProgram(stack); got != want {
			t.Errorf("%q: %q, want %q", stack, got, want)
		}
	}
}
