//go:build !amd64 || purego

package splice

const blockSize = 64

// readsBlocks is false without a skipBlocks for the processor.
var readsBlocks = false

func skipBlocks(*byte, int) (k int, escaped bool) { return 0, false }
