//go:build amd64 && !purego

package match

import "golang.org/x/sys/cpu"

// readsBlocks reports whether the processor has the instructions of markStarts. Tests turn it off.
var readsBlocks = cpu.X86.HasAVX2

// markStarts writes for each of some blocks of 32 places, at least one, at which places a literal may begin, as bits. It reads two bytes
// beyond the last block.
//
//go:noescape
func markStarts(starts *uint32, p *byte, blocks int, f *prefilter)
