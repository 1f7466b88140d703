// Package state keeps what stages remember from one exchange to the next, in
// this process (Memory) or in a Redis server that gateways share (Redis). Both
// count alike: one suite of tests holds for both.
//
// It may import core, the Redis client and the standard library.
package state

import "errors"

// ErrTooLarge is the error of a value that is larger than what is kept at all.
var ErrTooLarge = errors.New("the value is too large to be kept")

var (
	errKind = errors.New("a limit of no known kind")
	errCost = errors.New("a limit with a negative number")
	errTTL  = errors.New("a value needs a time to be kept")
	errMany = errors.New("too many limits at once")
)
