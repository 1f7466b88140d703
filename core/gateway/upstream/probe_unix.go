//go:build unix

package upstream

import (
	"errors"
	"syscall"
)

// isSilentSocket peeks at a socket without blocking, because Go's sockets are non-blocking, and without consuming
// anything. It reports whether the peer has neither sent anything nor closed the connection.
func isSilentSocket(fd uintptr) bool {
	var b [1]byte
	for {
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return errors.Is(err, syscall.EAGAIN)
	}
}
