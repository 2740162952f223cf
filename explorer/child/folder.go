package child

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// CaseFolder returns a new folder for the cases of this process, on the shared-memory file system where
// there is one: cases are small, many and short-lived. The caller removes it. What a process left there that
// was killed itself is removed first.
func CaseFolder() (string, error) {
	root := sharedMemory()
	at := root
	if at == "" {
		at = os.TempDir()
	}
	sweep(at)
	dir, err := os.MkdirTemp(root, fmt.Sprintf("%s%s-%d-", folderPrefix, processSpace(), os.Getpid()))
	if err != nil {
		return "", fmt.Errorf("folder for the cases: %w", err)
	}
	return dir, nil
}

const folderPrefix = "paytwice-"

// sharedMemory returns the folder of the shared-memory file system, empty where it can't be used.
func sharedMemory() string {
	const shm = "/dev/shm"
	f, err := os.CreateTemp(shm, "paytwice-probe-")
	if err != nil {
		return ""
	}
	f.Close()
	os.Remove(f.Name())
	return shm
}

// sweep removes the folders of processes that are gone: of this space of process numbers, and named after
// their owner. A number that another process has by now only delays it.
func sweep(root string) {
	mine, err := filepath.Glob(filepath.Join(root, folderPrefix+processSpace()+"-*"))
	if err != nil {
		return
	}
	for _, dir := range mine {
		var pid int
		rest := strings.TrimPrefix(filepath.Base(dir), folderPrefix+processSpace()+"-")
		if _, err := fmt.Sscanf(rest, "%d-", &pid); err == nil && pid > 0 && gone(pid) {
			os.RemoveAll(dir)
		}
	}
}
