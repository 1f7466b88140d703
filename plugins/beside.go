package plugins

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// besideStage asks two versions of a plugin about the same exchange. The verdict of the serving version applies; the
// candidate's is compared with it and discarded. The candidate is called after the other one, in the same call and on
// the same bytes. Its time is added to that of the exchange, which is why a trial ends as soon as faults exceed the
// limit.
type besideStage struct {
	live, next core.Stage
	version    *wasm.Version // of the serving module
	t          *trial
}

// Version returns that of the serving module.
func (s *besideStage) Version() *wasm.Version { return s.version }

var (
	_ core.StreamStage = (*besideStage)(nil)
	_ core.Finisher    = (*besideStage)(nil)
	_ core.Closer      = (*besideStage)(nil)
)

// versionStates is what both versions keep for an exchange.
type versionStates struct{ live, next any }

func unwrapKept(kept any) versionStates {
	k, _ := kept.(versionStates)
	return k
}

// Check asks both versions and returns the verdict of the serving one.
func (s *besideStage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	k := unwrapKept(kept)
	began := time.Now()
	v, err := s.live.Check(ctx, x, p, k.live)
	took := time.Since(began)
	if v.Keep != nil {
		k.live = v.Keep
	}
	keep := v.Keep != nil
	if s.t.isRunning() && ctx.Err() == nil {
		if next, ok := s.ask(ctx, x, p, k.next, &v, err, took); ok && next.Keep != nil {
			k.next, keep = next.Keep, true
		}
	}
	if keep {
		v.Keep = k
	}
	return v, err // the error of the serving stage
}

// ask calls the candidate and compares the verdicts. It reports whether the candidate returned one.
func (s *besideStage) ask(
	ctx context.Context,
	x *core.Exchange,
	p core.Phase,
	kept any,
	live *core.Verdict,
	liveErr error,
	took time.Duration,
) (core.Verdict, bool) {
	began := time.Now()
	v, err := recoverPanic(func() (core.Verdict, error) { return s.next.Check(ctx, x, p, kept) })
	if s.t.countFailure(ctx, err, liveErr) {
		return v, false
	}
	s.t.addSpent(took, time.Since(began))
	s.t.countFindings(live.Findings, v.Findings)
	a, b := newOutcome(live), newOutcome(&v)
	s.t.countComparison(a.describeDifference(&b))
	return v, true
}

// countFailure counts and reports calls that cannot be compared, because the client left or one of the two versions failed.
// A fault of the candidate counts against it.
func (t *trial) countFailure(ctx context.Context, next, live error) bool {
	switch {
	case next == nil && live == nil:
		return false
	case ctx.Err() != nil, live != nil:
		t.skipped.Add(1)
	default:
		t.countFault(classifyFault(next))
	}
	return true
}

func classifyFault(err error) core.Fault {
	var f core.FaultReporter
	switch {
	case errors.As(err, &f):
		return f.Fault()
	case errors.Is(err, context.DeadlineExceeded):
		return core.FaultTimeout
	}
	return core.FaultError
}

// panicError reports a panic of the candidate without its value, which may contain a prompt.
type panicError struct{ typ string }

func (e panicError) Error() string { return "panic with a value of type " + e.typ }

// Fault classifies the error as a panic.
func (panicError) Fault() core.Fault { return core.FaultPanic }

// recoverPanic calls f and returns its panic as an error, so that it does not reach the serving stage.
func recoverPanic[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError{fmt.Sprintf("%T", r)}
		}
	}()
	return f()
}

// Finish tells both versions how the exchange ended. If the trial is over, the candidate is still told if it keeps
// something for the exchange.
func (s *besideStage) Finish(ctx context.Context, x *core.Exchange, kept any) {
	k := unwrapKept(kept)
	if f, ok := s.next.(core.Finisher); ok && (k.next != nil || s.t.isRunning()) {
		_, _ = recoverPanic(func() (any, error) { f.Finish(ctx, x, k.next); return nil, nil }) // its result is ignored
	}
	if f, ok := s.live.(core.Finisher); ok {
		f.Finish(ctx, x, k.live)
	}
}

// Close closes both versions.
func (s *besideStage) Close(ctx context.Context) error {
	var errs []error
	for _, st := range []core.Stage{s.live, s.next} {
		if c, ok := st.(core.Closer); ok {
			errs = append(errs, c.Close(ctx))
		}
	}
	return errors.Join(errs...)
}
