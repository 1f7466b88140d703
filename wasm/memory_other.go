//go:build !linux

package wasm

// Other systems keep all memory on the heap.
func reserve(uint64) []byte { return nil }

func usable([]byte) bool { return false }

func unreserve([]byte) {}
