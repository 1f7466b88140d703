// Package scratch shares large buffers between exchanges. A reused exchange keeps only small buffers; a large body
// borrows its buffers here, so that one burst of long prompts does not stay in memory forever: the garbage collector
// frees buffers that were not used for a while. It imports only the standard library.
package scratch

import (
	"math/bits"
	"sync"
)

const (
	// Small is the size in bytes up to which a buffer may stay with its owner.
	Small = 16 << 10
	// most is the largest buffer that is shared; larger ones go to the heap.
	most = 4 << 20
)

// shelves hold buffers whose capacity is at least Small<<i, and less than twice that.
var shelves [9]sync.Pool

// Grow returns an empty buffer with room for n bytes: b itself if it is large enough, or a shared one. It takes
// ownership of b.
func Grow(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:0]
	}
	Release(b)
	if n <= Small {
		return make([]byte, 0, max(2<<10, 1<<bits.Len(uint(n-1))))
	}
	if n > most {
		return make([]byte, 0, n)
	}
	i := bits.Len(uint((n - 1) / Small))
	if p, ok := shelves[i].Get().(*[]byte); ok {
		return (*p)[:0]
	}
	return make([]byte, 0, Small<<i)
}

// Release returns a buffer for reuse by others, if its size is shared.
func Release(b []byte) {
	if n := cap(b); n > Small && n <= most {
		b = b[:0]
		shelves[bits.Len(uint(n/Small))-1].Put(&b)
	}
}

// Reset empties a buffer that its owner wants to keep. It gives a large buffer away and returns nil.
func Reset(b []byte) []byte {
	if cap(b) > Small {
		Release(b)
		return nil
	}
	return b[:0]
}
