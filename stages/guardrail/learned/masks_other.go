//go:build !amd64 || purego

package learned

// readsChunks is false without a markWords for the processor.
var readsChunks = false

func markWords(*uint64, *uint64, *byte, int) (spaced bool) { return false }
