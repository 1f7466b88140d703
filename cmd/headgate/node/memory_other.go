//go:build !linux

package node

// dropProgram does nothing where the system has no such advice.
func dropProgram() {}
