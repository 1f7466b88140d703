package wasm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// detachChild puts the child into its own process group, so that a signal from the terminal does not reach it, and ends it
// when this process dies.
func detachChild(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// boundCompilation limits the data segment and the CPU time of this process. It does not limit the address space, of which Go
// reserves far more than it uses.
func boundCompilation(memory uint64, cpu time.Duration) error {
	seconds := uint64(cpu / time.Second)
	return errors.Join(
		syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: memory, Max: memory}),
		syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds}),
	) // the caller adds the context
}

// hasRunOutOfTime reports whether a process was killed for exceeding its CPU time.
func hasRunOutOfTime(s *os.ProcessState) bool {
	if s == nil {
		return false
	}
	status, ok := s.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL) &&
		s.SystemTime()+s.UserTime() >= compileCPUTime-time.Second
}

// readFreeMemory returns the bytes that the container of this process has free, or 0 if the container has no memory
// limit.
func readFreeMemory() uint64 {
	return readFreeBytes("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current")
}

func readFreeBytes(maxFile, currentFile string) uint64 {
	number := func(file string) (n uint64, ok bool) {
		b, err := os.ReadFile(file)
		if err != nil {
			return 0, false
		}
		n, err = strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64) // "max", which means no limit, does not parse
		return n, err == nil
	}
	most, ok := number(maxFile)
	used, known := number(currentFile)
	if !ok || !known {
		return 0
	}
	return max(1, most-min(used, most))
}

func checkOwner(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf(
			"the cache of compiled modules belongs to user %d, not to this one: its owner could put code there that would be run",
			st.Uid,
		)
	}
	return nil
}
