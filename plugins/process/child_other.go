//go:build !unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
)

// prepareCommand refuses to run anything: this system has no unix sockets and process groups.
func prepareCommand(cmd *exec.Cmd, _ *executable) {
	cmd.Err = errors.New("process plugins need Linux or another Unix")
}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may have ended
	}
}

func isOwned(fs.FileInfo) bool { return false }
