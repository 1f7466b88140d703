//go:build unix

package upstream

import (
	"errors"
	"syscall"
)

// silentSocket looks at a socket without waiting, since Go's sockets never block, and without taking anything from it. It
// reports whether the peer has neither sent nor closed.
func silentSocket(fd uintptr) bool {
	var b [1]byte
	for {
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return errors.Is(err, syscall.EAGAIN)
	}
}
