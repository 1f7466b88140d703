//go:build !unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
)

// prepare refuses: there are no unix sockets and no process groups to build upon.
func prepare(cmd *exec.Cmd, _ *executable) {
	cmd.Err = errors.New("process plugins need Linux or another Unix")
}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill() // it may be gone
	}
}

func owned(fs.FileInfo) bool { return false }
