package cases

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
)

// swap is the state of a stage that is tried: empty at the start of each run, and out of reach where a step says so.
type swap struct {
	kept  core.State
	fails atomic.Bool
}

var errStateFails = errors.New("the case says that the state fails")

// empty gives the stage a new state with a clock.
func (s *swap) empty(now func() time.Time) {
	s.kept = state.NewMemory(state.Options{Now: now})
	s.fails.Store(false)
}

// checkReach returns an error while the state is out of reach.
func (s *swap) checkReach() error {
	if s.fails.Load() {
		return errStateFails
	}
	return nil
}

// Get implements [core.State].
func (s *swap) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	if err := s.checkReach(); err != nil {
		return nil, false, err
	}
	return s.kept.Get(ctx, key)
}

// Set implements [core.State].
func (s *swap) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	if err := s.checkReach(); err != nil {
		return err
	}
	return s.kept.Set(ctx, key, value, ttl)
}

// Delete implements [core.State].
func (s *swap) Delete(ctx context.Context, key string) error {
	if err := s.checkReach(); err != nil {
		return err
	}
	return s.kept.Delete(ctx, key)
}

// Take implements [core.State].
func (s *swap) Take(ctx context.Context, limits []core.Limit) (ok bool, err error) {
	if err := s.checkReach(); err != nil {
		return false, err
	}
	return s.kept.Take(ctx, limits)
}

// Settle implements [core.State].
func (s *swap) Settle(ctx context.Context, limits []core.Limit) error {
	if err := s.checkReach(); err != nil {
		return err
	}
	return s.kept.Settle(ctx, limits)
}

// Seed implements [core.State].
func (s *swap) Seed(ctx context.Context, key string, spent int64, ends time.Time) error {
	if err := s.checkReach(); err != nil {
		return err
	}
	return s.kept.Seed(ctx, key, spent, ends)
}
