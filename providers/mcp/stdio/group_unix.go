//go:build unix

package stdio

import (
	"os/exec"
	"syscall"
)

// prepare gives the command a process group of its own, so that all it starts can be ended with it.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup asks a process and all that it has started to end; killGroup ends them. They may have ended.
func endGroup(pid int)  { _ = syscall.Kill(-pid, syscall.SIGTERM) }
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
