//go:build unix

package providers

import (
	"os"
	"syscall"
)

// mapFile maps the bytes of a file into memory. release unmaps them.
func mapFile(f *os.File, from, to int64) (b []byte, release func(), err error) {
	all, err := syscall.Mmap(int(f.Fd()), 0, int(to), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return all[from:], func() { _ = syscall.Munmap(all) }, nil
}
