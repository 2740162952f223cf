package child

import (
	"os"
	"strings"
)

// OneProcessor returns what makes a Go program run on one processor, for Spec.Environ. Its runtime then need not ask
// the system how many it may have, which costs a short life more than the answer is worth.
func OneProcessor() []string {
	debug := strings.TrimPrefix(os.Getenv("GODEBUG")+",containermaxprocs=0,updatemaxprocs=0", ",")
	return []string{"GOMAXPROCS=1", "GODEBUG=" + debug}
}
