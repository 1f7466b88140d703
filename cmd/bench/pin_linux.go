package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// coreMask has room for 1,024 cores, which is what the kernel's own tools use.
type coreMask [16]uint64

// runOnCore runs f on the given core only; f starts a process, which inherits the pinning of the thread that starts it
// from its first instruction on. The caller must have locked its goroutine to its thread. A core below 0 pins nothing.
func runOnCore(core int, f func() error) error {
	if core < 0 {
		return f()
	}
	var before, mask coreMask
	if core >= len(mask)*64 {
		return fmt.Errorf("pin to core %d: no such core", core)
	}
	if err := setAffinity(syscall.SYS_SCHED_GETAFFINITY, &before); err != nil {
		return fmt.Errorf("read the cores allowed: %w", err)
	}
	mask[core/64] |= 1 << (core % 64)
	if err := setAffinity(syscall.SYS_SCHED_SETAFFINITY, &mask); err != nil {
		return fmt.Errorf("pin to core %d: %w", core, err)
	}
	err := f()
	if back := setAffinity(syscall.SYS_SCHED_SETAFFINITY, &before); err == nil && back != nil {
		err = fmt.Errorf("unpin: %w", back)
	}
	return err
}

// setAffinity makes one of the two affinity calls for the calling thread.
func setAffinity(call uintptr, m *coreMask) error {
	if _, _, e := syscall.RawSyscall(call, 0, unsafe.Sizeof(*m), uintptr(unsafe.Pointer(m))); e != 0 {
		return e
	}
	return nil
}

// isolateChild makes the kernel stop the child when the thread that started it ends, so that a killed bench leaves nothing
// behind. It also gives the child a separate session: its priority is then its own where the kernel groups by session,
// and Ctrl-C reaches it only through the run's orderly shutdown.
func isolateChild(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setsid: true}
}

// setNice sets the priority of a child that has just started, and of its session where the kernel schedules by session;
// 0 changes neither.
func setNice(pid, n int) error {
	if n == 0 {
		return nil
	}
	if err := syscall.Setpriority(syscall.PRIO_PGRP, pid, n); err != nil {
		return fmt.Errorf("set the priority to %d: %w", n, err)
	}
	err := os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", pid), []byte(strconv.Itoa(n)), 0)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("set the priority of the session to %d: %w", n, err)
	}
	return nil
}

// preciseSleep sleeps in the kernel: the runtime's timers are late by as much as the latencies that an open loop
// measures.
func preciseSleep(d time.Duration) {
	ts := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&ts, nil) // woken early, the request is sent early by less than its gap
}
