package core

import (
	"context"
	"time"
)

// Values keeps small values for a time, in this process or shared between nodes.
// Its methods may be called from any goroutine.
type Values interface {
	// Get gives a value, which the caller must not change. ok is false when there
	// is none, or its time is over.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Set keeps a copy of value for ttl, which must be positive.
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
	// Delete forgets a value, if there is one.
	Delete(ctx context.Context, key string) error
}

// State is what stages remember from one exchange to the next, in memory or in
// Redis.
type State interface {
	Values
}
