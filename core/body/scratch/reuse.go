package scratch

import "unsafe"

// MaxKept is the size in bytes of the largest slice that Reuse keeps. Larger ones go back to
// the heap, so that one huge prompt neither stays in memory nor costs the next exchanges the
// time to clear it.
const MaxKept = 32 << 10

// Reuse empties a slice for its next use and clears its elements, so that it keeps nothing
// alive. It returns nil for a slice above MaxKept. For a slice that was shortened before,
// use ReuseAll.
func Reuse[T any](s []T) []T {
	var t T
	switch {
	case uintptr(cap(s))*unsafe.Sizeof(t) > MaxKept:
		return nil
	case unsafe.Sizeof(t) > 1: // single bytes hold no pointers
		clear(s)
	}
	return s[:0]
}

// ReuseAll is Reuse for a slice that was longer before than it is now: it clears the whole
// capacity.
func ReuseAll[T any](s []T) []T { return Reuse(s[:cap(s)]) }
