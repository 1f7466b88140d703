//go:build !unix

package stdio

import (
	"errors"
	"os/exec"
)

// prepareCommand refuses to run anything: this system has no process groups, so a server's children could outlive it.
func prepareCommand(cmd *exec.Cmd) {
	cmd.Err = errors.New("servers with a command need Linux or another Unix")
}

func endGroup(int) {}

func killGroup(int) {}
