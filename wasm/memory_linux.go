package wasm

import "syscall"

// reserveAddresses reserves a range of addresses without access to it. It returns nil if the system has none left.
func reserveAddresses(n uint64) []byte {
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return b
}

// makeUsable makes the beginning of a range readable and writable.
func makeUsable(b []byte) bool {
	return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE) == nil
}

func releaseAddresses(b []byte) { _ = syscall.Munmap(b) } // unmapping a mapping cannot fail
