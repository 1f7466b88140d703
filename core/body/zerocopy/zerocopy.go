// Package zerocopy views bytes as a string and a string as bytes without copying them. The
// rest of the module needs no other conversion of that kind.
package zerocopy

import "unsafe"

// String returns b as a string that shares its memory. The bytes must not change while the
// string is in use.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// ViewBytes returns s as bytes that share its memory. The caller must not write to them.
func ViewBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
