package process

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// prepareCommand makes the command run the opened file, even if its name refers to another file by now. The process
// runs in a new process group and is killed when the gateway ends.
func prepareCommand(cmd *exec.Cmd, e *executable) {
	cmd.Path = "/proc/self/fd/3"
	cmd.ExtraFiles = []*os.File{e.file}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills a process and all processes that it started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // they may have ended

func isOwned(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
