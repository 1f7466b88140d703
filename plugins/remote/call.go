package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/circuit"
)

// BreakerFailures in a row, of one key or of all, are when a guard is asked about a canary. If it fails that too, it is left
// alone for a while, until it passes.
const BreakerFailures = 5

func newBreaker(pause time.Duration) *circuit.Streak {
	began := time.Now()
	return circuit.NewStreak(1, circuit.Settings{Pause: pause, Since: func() time.Duration { return time.Since(began) }})
}

// outcomeOf returns what a call tells about the receiver. A caller that hung up says nothing about it. Neither does a
// signed reply that makes no sense: one text that confuses a receiver must not switch the guard off for all others.
func outcomeOf(err error) circuit.Outcome {
	var e *Error
	switch {
	case err == nil:
		return circuit.Success
	case errors.As(err, &e) && (e.left != nil || e.Kind == core.FaultVerdict):
		return circuit.Neutral
	}
	return circuit.Failure
}

// keyOf is whose failures count together.
func keyOf(x *core.Exchange) string {
	if x.Principal == nil {
		return ""
	}
	return x.Principal.KeyID
}

// ask asks one question of a key's. ctx ends with the Check, parent with the request.
func (s *Stage) ask(ctx, parent context.Context, key string, q *Question) (Verdict, error) {
	if s.broken != nil {
		return Verdict{}, s.fault(core.FaultLoad, s.broken.Error())
	}
	if !s.slots.Take(ctx) {
		return Verdict{}, s.crowdedError(parent)
	}
	defer s.slots.Give()
	permit, ok := s.breaker.Allow()
	if !ok || permit.IsTrial() && !s.try(permit) {
		return Verdict{}, s.fault(
			core.FaultOverload,
			fmt.Sprintf("out of service after %d failures in a row and that of its canary; tried again within %s", BreakerFailures, s.o.Pause),
		)
	}
	v, err := s.exchange(ctx, parent, q)
	switch outcomeOf(err) {
	case circuit.Success:
		s.faults.CountSuccess(key)
	case circuit.Failure:
		if s.faults.CountFault(key) {
			s.doubt()
		}
	}
	return v, err
}

func (s *Stage) exchange(ctx, parent context.Context, q *Question) (Verdict, error) {
	v, err := s.asker.Ask(ctx, q)
	var e *Error
	switch {
	case err == nil:
		if err := v.check(q); err != nil {
			return Verdict{}, s.fault(core.FaultVerdict, err.Error())
		}
		return v, nil
	case ctx.Err() != nil:
		return Verdict{}, s.lateError(parent)
	case errors.As(err, &e):
		return Verdict{}, s.fault(e.Kind, e.Reason)
	}
	return Verdict{}, s.fault(core.FaultError, Reason(err))
}
