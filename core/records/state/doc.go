// Package state stores what stages remember between exchanges, in this process (Memory) or in a Redis server that
// gateways share (Redis). Both count alike and pass the same test suite.
package state

import "errors"

// ErrTooLarge is the error for a value above the size limit.
var ErrTooLarge = errors.New("the value is too large to be kept")

var (
	errKind = errors.New("a limit of an unknown kind")
	errCost = errors.New("a limit with a negative number")
	errTTL  = errors.New("a value needs a time to be kept")
	errMany = errors.New("too many limits at once")
)
