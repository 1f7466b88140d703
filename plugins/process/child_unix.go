//go:build unix && !linux

package process

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// prepareCommand makes the file run in a separate process group.
func prepareCommand(cmd *exec.Cmd, e *executable) {
	cmd.Path = e.path
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills a process and all processes that it started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // they may have ended

func isOwned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
