//go:build !unix

package upstream

// isSilentSocket cannot inspect a socket on this platform, so no connection is used twice.
func isSilentSocket(uintptr) bool { return false }
