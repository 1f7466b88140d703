package abi

// Results of host_call that replace status<<32 | length.
const (
	// CallNotGranted means that the link grants no upstream of that name.
	CallNotGranted int64 = -1
	// CallLimited means that a limit of the upstream or of the caller has no room: calls of the exchange, calls at once, bytes or budget.
	CallLimited int64 = -2
	// CallFailed means that the upstream could not be reached, did not answer in time, or answered with more than it may.
	CallFailed int64 = -3
)

// UnpackCall decodes a result of host_call that is not negative: the HTTP status, and the length of the answer in bytes.
func UnpackCall(r int64) (status, length uint32) { return uint32(r >> 32), uint32(r) }

// PackCall encodes it.
func PackCall(status, length uint32) int64 { return int64(status)<<32 | int64(length) }
