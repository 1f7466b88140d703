package wasm

import "syscall"

// reserve sets a range of addresses aside that nothing may touch yet; nil: the system
// has none.
func reserve(n uint64) []byte {
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return b
}

// usable lets the beginning of a range be used.
func usable(b []byte) bool {
	return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE) == nil
}

func unreserve(b []byte) { _ = syscall.Munmap(b) } // what was mapped can be unmapped
