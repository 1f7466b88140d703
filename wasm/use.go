package wasm

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
)

// isOutgrown reports whether an instance has grown so far beyond its usual size that a new one is better.
func (v *Version) isOutgrown(size uint32) bool {
	usual := v.usual.Load()
	return usual > 0 && uint64(size) > 4*uint64(usual)
}

// caller identifies the client of a call. The tenant determines what an instance may remember and the place in the queue; faults are
// counted per key.
type caller struct{ tenant, key string }

// findCaller returns the caller of an exchange, or the zero value if it is unknown.
func findCaller(x *core.Exchange) caller {
	if x == nil || x.Principal == nil {
		return caller{}
	}
	return caller{x.Principal.Tenant, x.Principal.KeyID}
}

// acquire takes an instance for a caller and sets the allowance of its calls.
func (v *Version) acquire(ctx context.Context, a allowance, who caller) (*instance, error) {
	return v.acquireFit(ctx, a, who, false)
}

// acquireFresh takes an instance without state of earlier calls.
func (v *Version) acquireFresh(ctx context.Context, a allowance, who caller) (*instance, error) {
	return v.acquireFit(ctx, a, who, true)
}

func (v *Version) acquireFit(ctx context.Context, a allowance, who caller, fresh bool) (*instance, error) {
	if ctx.Err() != nil {
		return nil, v.newCanceledError(ctx)
	}
	if err := v.breaker.allow(); err != nil {
		v.faults[core.FaultOverload].Add(1)
		return nil, err
	}
	i, err := v.pool.get(ctx, who.tenant)
	if err != nil {
		v.countFault(err, who.key)
		return nil, err
	}
	if i, err = v.prepare(ctx, i, who, fresh && i.used || i.isForeign(who.tenant)); err != nil {
		v.countFault(err, who.key)
		return nil, err
	}
	i.call.arm(ctx, a)
	return i, nil
}

// newOverloadFault returns the error of a call that was rejected for lack of room.
func (v *Version) newOverloadFault(reason string) *Error {
	return &Error{Plugin: v.Name, Kind: core.FaultOverload, Reason: reason, excused: true}
}

// newClosedError returns the error of a call to a version that is closing.
func (v *Version) newClosedError() *Error {
	e := v.newOverloadFault(errClosed.Error())
	e.Err = errClosed
	return e
}

// newCanceledError returns the error for a caller whose context has ended.
func (v *Version) newCanceledError(ctx context.Context) *Error {
	return &Error{
		Plugin: v.Name, Kind: core.FaultTimeout, Reason: "the request was canceled", Err: context.Cause(ctx),
		excused: true, left: errors.Is(ctx.Err(), context.Canceled),
	}
}

// release returns an instance to the pool and counts how its call ended.
func (v *Version) release(i *instance, err error) {
	i.call.disarm()
	key, stale := i.caller.key, i.stale
	v.pool.put(i, err != nil)
	v.countCall(err, key, stale)
}

// countCall counts how a call ended. If others have used the instance before, they may have caused its fault, so it
// does not count against the key.
func (v *Version) countCall(err error, key string, stale bool) {
	switch {
	case err == nil:
		v.breaker.countSuccess(key)
	case stale && mayBeStale(err):
		_ = v.tallyFault(err) // the caller reports it
	default:
		v.countFault(err, key)
	}
}

// countFault counts a fault, for the statistics and for the breaker.
func (v *Version) countFault(err error, key string) {
	if e := v.tallyFault(err); e != nil && !e.excused {
		v.breaker.countFault(e.Kind, key)
	}
}

// tallyFault counts a fault in the statistics only, and returns it, or nil if err is not a fault.
func (v *Version) tallyFault(err error) *Error {
	var e *Error
	if !errors.As(err, &e) || e.left {
		return nil
	}
	v.faults[e.Kind].Add(1)
	return e
}

// mayBeStale reports whether an error can result from state that an earlier text left in the instance. A call that used up its allowance
// is not tried again: that would double the cost of a hostile text.
func mayBeStale(err error) bool {
	var e *Error
	return errors.As(err, &e) && !e.excused && e.Kind != core.FaultTimeout
}

// Detect runs the guest on one text, whole or a piece according to flags, and appends its matches to dst.
func (v *Version) Detect(ctx context.Context, dst []Match, text string, flags uint32) ([]Match, error) {
	if text == "" {
		return dst, nil
	}
	i, err := v.acquire(ctx, v.newBudget().computeAllowance(len(text)), caller{})
	if err != nil {
		return dst, err
	}
	i.stale = false // no second call on a fresh instance follows
	got, err := i.detect(text, flags)
	dst = append(dst, got...)
	v.findings.Add(uint64(len(got)))
	v.release(i, err)
	return dst, err
}
