package filefault_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/paytwice/paytwice/faults"
	"github.com/paytwice/paytwice/faults/filefault"
)

// A file written in place is empty when the program is killed between its two calls.
func Example() {
	folder, err := os.MkdirTemp("", "filefault")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "refunds")

	plan, err := faults.Parse("kill file.create/after#2")
	if err != nil {
		panic(err)
	}
	in := faults.NewInjector(plan.Life(0), faults.Options{})
	files := filefault.FS(in)
	at, crashed, err := in.Catch(func() error {
		if err := files.WriteFile(path, []byte("order-1\n"), 0o600); err != nil {
			return err
		}
		return files.WriteFile(path, []byte("order-1\norder-2\n"), 0o600)
	})
	left, _ := os.ReadFile(path)
	fmt.Println(at, crashed, err)
	fmt.Printf("left: %q\n", left)
	// Output:
	// file.create/after#2 true <nil>
	// left: ""
}
