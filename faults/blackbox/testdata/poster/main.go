// Command poster asks the provider for two payments, each under its name, and notes the answers. With
// "once" it sends no payment again of which it doesn't know whether it was made: it notes it before.
package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

func main() {
	if err := post(len(os.Args) > 1 && os.Args[1] == "once"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func post(once bool) error {
	data, err := os.ReadFile("noted")
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	f, err := os.OpenFile("noted", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	for i := range 2 {
		name := fmt.Sprint("payment-", i)
		if strings.Contains(string(data), name+"\n") {
			continue
		}
		if once {
			if _, err := f.WriteString(name + "\n"); err != nil {
				return err
			}
		}
		resp, err := http.Post(os.Getenv("PAYTWICE_PROVIDER_URL")+"/"+name, "text/plain", nil)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if !once {
			if _, err := f.WriteString(name + "\n"); err != nil {
				return err
			}
		}
		fmt.Println("paid", name)
	}
	return f.Close()
}
