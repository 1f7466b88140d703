//go:build !linux

package wasm

// reserveAddresses reserves nothing: other systems keep all memory on the heap.
func reserveAddresses(uint64) []byte { return nil }

func makeUsable([]byte) bool { return false }

func releaseAddresses([]byte) {}
