//go:build !linux

package main

// dropProgram does nothing where the system has no such advice.
func dropProgram() {}
