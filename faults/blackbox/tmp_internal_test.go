//go:build linux && amd64

package blackbox

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

func BenchmarkLife(b *testing.B) {
	for _, prog := range []string{"/bin/true", "/dev/shm/bbx/target"} {
		args := []string{prog, "nothing"}
		b.Run("light"+prog, func(b *testing.B) {
			for b.Loop() {
				_, err := runLife(context.Background(), &lifeSpec{args: args, root: "/", timeout: time.Minute, limits: Limits{}.withDefaults()})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("exec"+prog, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(args[0], args[1:]...)
				if _, err := cmd.CombinedOutput(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
