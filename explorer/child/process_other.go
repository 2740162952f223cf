//go:build !unix

package child

import (
	"os"
	"os/exec"
)

// Supported reports whether processes can really be killed and their wait status read here.
const Supported = false

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func wasKilled(*os.ProcessState) bool { return false }

func closeOnExec(...int) {}

func waitElsewhere(int) {}

func processSpace() string { return "0" }

// gone never says so where it can't be asked.
func gone(int) bool { return false }
