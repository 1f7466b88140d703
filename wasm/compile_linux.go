package wasm

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// detach puts the child into a group of its own, so that a signal from the
// terminal does not reach it, and ends it when this process dies.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// boundMemory limits the data of this process. The address space is left alone:
// Go reserves far more of it than it uses.
func boundMemory(n uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: n, Max: n}) // the caller says what this is
}

func ownedByUs(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf(
			"the cache of compiled modules belongs to user %d, not to this one: its owner could put code there that would be run",
			st.Uid,
		)
	}
	return nil
}
