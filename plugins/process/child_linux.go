package process

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// prepare has the file run that was opened, not what has its name by now; in a group
// of its own, and no longer than the gateway.
func prepare(cmd *exec.Cmd, e *executable) {
	cmd.Path = "/proc/self/fd/3"
	cmd.ExtraFiles = []*os.File{e.file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills a process and all that it has started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // there may be none left

func owned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
