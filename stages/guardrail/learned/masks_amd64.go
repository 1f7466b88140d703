//go:build amd64 && !purego

package learned

import "golang.org/x/sys/cpu"

// readsChunks reports whether the processor has the instructions of markWords. Tests turn it off.
var readsChunks = cpu.X86.HasAVX2

// markWords is computeMasks for some chunks in a row, at least one, that begin at *p. spaced is false if one of them has a byte of
// classLead.
//
//go:noescape
func markWords(words, signs *uint64, p *byte, chunks int) (spaced bool)
