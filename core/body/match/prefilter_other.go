//go:build !amd64 || purego

package match

// readsBlocks is false without a markStarts for the processor.
var readsBlocks = false

func markStarts(*uint32, *byte, int, *prefilter) {}
