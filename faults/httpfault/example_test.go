package httpfault_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/httpfault"
)

// A program that is killed once it has seen the answer asks again when it starts again: the provider has
// charged twice.
func Example() {
	charges := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { charges++ }))
	defer server.Close()

	plan, err := faults.Parse("kill http.post/after#1")
	if err != nil {
		panic(err)
	}
	for i := range 2 {
		in := faults.NewInjector(plan.Life(i), faults.Options{})
		client := &http.Client{Transport: httpfault.Transport(nil, in)}
		at, crashed, err := in.Catch(func() error {
			resp, err := client.Post(server.URL+"/charges", "text/plain", nil)
			if err == nil {
				err = resp.Body.Close()
			}
			return err
		})
		if crashed {
			fmt.Println("killed at", at)
			continue
		}
		fmt.Println("ended, error", err)
	}
	fmt.Println("charges:", charges)
	// Output:
	// killed at http.post/after#1
	// ended, error <nil>
	// charges: 2
}
