package core

import "unsafe"

// keepBuffer is the size in bytes of the largest slice that is kept for the next
// exchange; larger ones go back to the heap, so that one huge prompt does not
// stay for ever, nor cost the next exchanges the time to clear them.
const keepBuffer = 32 << 10

// spare empties a slice for its next use, so that nothing of this one is kept
// alive by it, and lets it go when it has grown large. A slice that was cut short
// before wants spareAll.
func spare[T any](s []T) []T {
	var t T
	switch {
	case uintptr(cap(s))*unsafe.Sizeof(t) > keepBuffer:
		return nil
	case unsafe.Sizeof(t) > 1: // bytes point nowhere
		clear(s)
	}
	return s[:0]
}

// spareAll does what spare does for a slice that was used more than once, and
// longer than it is now.
func spareAll[T any](s []T) []T { return spare(s[:cap(s)]) }
