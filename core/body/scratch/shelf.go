package scratch

import (
	"sync"
	"unsafe"
)

// Shelf shares large slices of one type between exchanges, as Grow and Give share bytes. The zero value is empty. It is
// safe for concurrent use.
type Shelf[T any] struct{ pool sync.Pool }

// maxShelved is the largest slice that a Shelf keeps, in bytes.
const maxShelved = 1 << 20

// Take returns s if it has elements or no slice is on the shelf, and otherwise an empty one in its place.
func (h *Shelf[T]) Take(s []T) []T {
	if len(s) > 0 {
		return s
	}
	if v, ok := h.pool.Get().(*[]T); ok {
		return *v
	}
	return s
}

// Reuse is the function of that name, but puts a slice on the shelf that is too large to stay with its owner.
func (h *Shelf[T]) Reuse(s []T) []T {
	var t T
	if size := uintptr(cap(s)) * unsafe.Sizeof(t); size <= MaxKept || size > maxShelved {
		return Reuse(s)
	}
	clear(s)
	s = s[:0]
	h.pool.Put(&s)
	return nil
}
