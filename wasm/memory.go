package wasm

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
)

// largeMemory is the size in bytes from which a guest's memory is mapped outside Go's heap. Below it the heap is cheaper: a used page
// need not be fetched from the system again. Above it a growing memory would leave several times its size to the collector, which runs
// too late for a guest that grows fast.
const largeMemory = 4 << 20

// memory is the linear memory of one guest.
type memory struct {
	most   uint64
	heap   []byte
	mapped []byte // the reserved address range; nil if the memory is on the heap
	used   uint64 // bytes of mapped that are accessible
}

var _ experimental.LinearMemory = (*memory)(nil)

// withMemory makes the runtime allocate guest memory here.
var withMemory = experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(
	func(_, most uint64) experimental.LinearMemory { return &memory{most: most} },
))

// Reallocate grows the memory to size bytes and keeps its content. It returns nil if no memory is left.
func (m *memory) Reallocate(size uint64) []byte {
	if m.mapped == nil && size > largeMemory {
		if m.mapped = reserveAddresses(m.most); m.mapped != nil && makeUsable(m.mapped[:size]) {
			copy(m.mapped, m.heap)
			m.heap, m.used = nil, size
		}
	}
	switch {
	case m.used > 0:
		if size > m.used && !makeUsable(m.mapped[:size]) {
			return nil
		}
		m.used = size
		return m.mapped[:size:size]
	case size > uint64(cap(m.heap)):
		m.heap = append(m.heap, make([]byte, size-uint64(len(m.heap)))...)
	}
	m.heap = m.heap[:size]
	return m.heap[:size:size]
}

// Free releases the memory. The instance is closed, so nothing refers to it.
func (m *memory) Free() {
	if m.mapped != nil {
		releaseAddresses(m.mapped)
	}
	*m = memory{}
}
