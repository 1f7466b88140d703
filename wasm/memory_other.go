//go:build !linux

package wasm

// Off Linux all memory is on the heap.
func reserve(uint64) []byte { return nil }

func usable([]byte) bool { return false }

func unreserve([]byte) {}
