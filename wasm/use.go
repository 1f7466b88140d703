package wasm

import (
	"context"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// outgrown reports that an instance has grown so far beyond its usual size that
// a new one is better.
func (v *Version) outgrown(size uint32) bool {
	usual := v.usual.Load()
	return usual > 0 && uint64(size) > 4*uint64(usual)
}

// acquire takes an instance for nobody in particular.
func (v *Version) acquire(ctx context.Context, timeout time.Duration) (*instance, error) {
	return v.acquireFor(ctx, timeout, "")
}

// acquireFor takes an instance for a tenant and gives its calls their time.
// Standing in line counts; the time to make an instance does not.
func (v *Version) acquireFor(ctx context.Context, timeout time.Duration, tenant string) (*instance, error) {
	return v.acquireFit(ctx, timeout, tenant, false)
}

// acquireFresh takes one that knows of nothing that was served before.
func (v *Version) acquireFresh(ctx context.Context, timeout time.Duration, tenant string) (*instance, error) {
	return v.acquireFit(ctx, timeout, tenant, true)
}

func (v *Version) acquireFit(ctx context.Context, timeout time.Duration, tenant string, fresh bool) (*instance, error) {
	if ctx.Err() != nil {
		return nil, v.canceled(ctx)
	}
	if err := v.breaker.allow(); err != nil {
		v.faults[core.FaultOverload].Add(1)
		return nil, err
	}
	i, waited, err := v.pool.get(ctx, timeout)
	if err != nil {
		v.failed(err)
		return nil, err
	}
	if i, err = v.fitted(ctx, i, tenant, fresh && i.used || i.foreign(tenant)); err != nil {
		v.failed(err)
		return nil, err
	}
	i.call.arm(ctx, timeout-waited)
	return i, nil
}

// canceled is the answer to a caller whose context has ended.
func (v *Version) canceled(ctx context.Context) *Error {
	return &Error{
		Plugin: v.Name, Kind: core.FaultTimeout, Reason: "the request was canceled", Err: context.Cause(ctx),
		excused: true, left: errors.Is(ctx.Err(), context.Canceled),
	}
}

// release gives an instance back and counts how its call ended.
func (v *Version) release(i *instance, err error) {
	i.call.disarm()
	if err != nil {
		v.failed(err)
	} else {
		v.breaker.succeeded()
	}
	v.pool.put(i, err != nil)
}

// failed counts a fault, for the statistics and for the breaker.
func (v *Version) failed(err error) {
	var e *Error
	if !errors.As(err, &e) || e.left {
		return
	}
	v.faults[e.Kind].Add(1)
	if !e.excused {
		v.breaker.failed(e.Kind)
	}
}

// Detect asks the guest about one text, whole or a piece as flags say, and
// appends what it found.
func (v *Version) Detect(ctx context.Context, dst []Match, text string, flags uint32) ([]Match, error) {
	if text == "" {
		return dst, nil
	}
	i, err := v.acquire(ctx, budget{v.limits.Timeout}.of(len(text)))
	if err != nil {
		return dst, err
	}
	got, err := i.detect(text, flags)
	dst = append(dst, got...)
	v.findings.Add(uint64(len(got)))
	v.release(i, err)
	return dst, err
}
