// Package shared shares what takes long to make between tests of several packages and runs: built programs,
// fetched packages, machine code of modules.
package shared

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// Variable names the shared folder. Its contents are never checked for age: whoever sets the variable must start with an
// empty folder. If it is not set, each process has its own folder.
const Variable = "SHARED_TEST_FOLDER"

var (
	mu  sync.Mutex
	own string
)

func findBase() (string, error) {
	if named := os.Getenv(Variable); named != "" {
		return named, os.MkdirAll(named, 0o700)
	}
	mu.Lock()
	defer mu.Unlock()
	if own != "" {
		return own, nil
	}
	dir, err := os.MkdirTemp("", "headgate-shared-")
	if err == nil {
		own = dir
	}
	return dir, err
}

// Folder returns the folder of that name. The first caller fills it while others wait; if that fails, the next caller
// tries again. A name may lie below another that was filled before.
func Folder(name string, fill func(dir string) error) (dir string, err error) {
	in, err := findBase()
	if err != nil {
		return "", fmt.Errorf("find the shared folder: %w", err)
	}
	dir = filepath.Join(in, filepath.FromSlash(name))
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("lock the shared folder: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // which lets go of the lock
	for {
		if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return "", fmt.Errorf("lock the shared folder: %w", err)
	}
	filled := dir + ".filled"
	if _, err = os.Stat(filled); err == nil {
		return dir, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the shared folder: %w", err)
	}
	if err = errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return "", fmt.Errorf("create the shared folder: %w", err)
	}
	if err = fill(dir); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filled, nil, 0o600)
}

// Remove removes the folder of this process. TestMain calls it at the end.
func Remove() {
	mu.Lock()
	defer mu.Unlock()
	if own != "" {
		_ = os.RemoveAll(own) // a folder of temporary files
		own = ""
	}
}
