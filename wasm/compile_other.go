//go:build !linux

package wasm

import (
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// detachChild does nothing: systems other than Linux limit only the child's time.
func detachChild(*exec.Cmd) {}

func boundCompilation(uint64, time.Duration) error { return nil }

func hasRunOutOfTime(*os.ProcessState) bool { return false }

func readFreeMemory() uint64 { return 0 }

func checkOwner(fs.FileInfo) error { return nil }
