//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// runOnCore supports pinning only on Linux; elsewhere -pin=false measures unpinned.
func runOnCore(core int, f func() error) error {
	if core < 0 {
		return f()
	}
	return errors.New("pinning needs Linux: give -pin=false")
}

func setNice(_, n int) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("set the priority: %w", errors.ErrUnsupported)
}

func isolateChild(*exec.Cmd) {}

func preciseSleep(d time.Duration) { time.Sleep(d) }
