package state

import (
	"context"
	"errors"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Backend is an open state.
type Backend interface {
	core.State
	Close(ctx context.Context) error
}

// Open opens the state that a URL names: memory:, redis:// or rediss://. For lost see OpenRedis.
func Open(ctx context.Context, address string, lost func(error)) (Backend, error) {
	scheme, _, _ := strings.Cut(address, ":")
	switch scheme {
	case "memory":
		return NewMemory(Options{}), nil
	case "redis", "rediss":
		r, err := OpenRedis(ctx, address, lost)
		if err != nil {
			return nil, err // return an untyped nil rather than a nil *Redis
		}
		return r, nil
	}
	return nil, errors.New("state.url: is not a URL of a known kind; write memory: or redis://host:6379/0")
}

// IsShared reports whether several gateways share the state that a URL names.
func IsShared(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return scheme != "memory"
}
