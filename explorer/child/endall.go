package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// living are the children that are not reaped yet. It is locked while one is started, so that none is ever
// alive and not in it.
var living = struct {
	sync.Mutex
	children map[*exec.Cmd]bool
}{children: map[*exec.Cmd]bool{}}

// startListed starts a child and enters it.
func startListed(cmd *exec.Cmd) error {
	living.Lock()
	defer living.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	living.children[cmd] = true
	return nil
}

// unlist takes out a child that is about to be reaped: its number may be another process's then.
func unlist(cmd *exec.Cmd) {
	living.Lock()
	defer living.Unlock()
	delete(living.children, cmd)
}

// EndAll kills every child that this process started, with its group, and removes the folders of this
// process's cases. It is the last thing that a process does which must end at once: no child can be started,
// and none waited for, from then on.
func EndAll() {
	living.Lock() // And never unlocked.
	for cmd := range living.children {
		killGroup(cmd)
	}
	root := sharedMemory()
	if root == "" {
		root = os.TempDir()
	}
	folders, err := filepath.Glob(filepath.Join(root, fmt.Sprintf("%s%s-%d-*", folderPrefix, processSpace(), os.Getpid())))
	if err != nil {
		return
	}
	for _, dir := range folders {
		// Whoever still writes there makes a removal fail; the folder is swept later if it goes on.
		for range 10 {
			if os.RemoveAll(dir) == nil {
				break
			}
		}
	}
}
