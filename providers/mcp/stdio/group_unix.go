//go:build unix

package stdio

import (
	"os/exec"
	"syscall"
)

// prepareCommand puts the command into a new process group, so that its children can be killed with it.
func prepareCommand(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup terminates a process and its children; killGroup kills them. They may have ended already.
func endGroup(pid int)  { _ = syscall.Kill(-pid, syscall.SIGTERM) }
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
