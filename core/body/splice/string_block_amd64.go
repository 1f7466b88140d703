//go:build amd64 && !purego

package splice

import "golang.org/x/sys/cpu"

// blockSize is how many bytes skipBlocks reads at once.
const blockSize = 64

// readsBlocks reports whether the processor has the instructions of skipBlocks. Tests turn it off.
var readsBlocks = cpu.X86.HasAVX2

// skipBlocks reads blocks of a string's content from *p, of which n bytes can be read. It returns the offset of the first byte
// that is neither a plain ASCII character nor part of a two-byte escape, and whether there was a backslash before it. If the
// blocks hold no such byte, k is where the rest begins that is shorter than a block.
//
//go:noescape
func skipBlocks(p *byte, n int) (k int, escaped bool)
