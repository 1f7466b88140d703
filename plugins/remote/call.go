package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/circuit"
)

// After BreakerFailures failures in a row, of one key or of all, a guard must judge a canary. If it fails that too, it
// is out of service until it passes one.
const BreakerFailures = 5

func newBreaker(pause time.Duration) *circuit.Streak {
	began := time.Now()
	return circuit.NewStreak(1, circuit.Settings{Pause: pause, Since: func() time.Duration { return time.Since(began) }})
}

// classifyOutcome returns the outcome of a call for the breaker. A caller that hung up or has no money says nothing about the receiver.
// Neither does a signed reply that is invalid: one text that confuses a receiver must not switch the guard off for all
// others.
func classifyOutcome(err error) circuit.Outcome {
	var e *Error
	switch {
	case err == nil:
		return circuit.Success
	case errors.As(err, &e) && (e.left != nil || e.limit != nil || e.Kind == core.FaultVerdict):
		return circuit.Neutral
	}
	return circuit.Failure
}

// formatKey returns the key of the caller, whose failures are counted together.
func formatKey(x *core.Exchange) string {
	if x.Principal == nil {
		return ""
	}
	return x.Principal.KeyID
}

// ask sends one question for a key. ctx ends with the Check, parent with the request.
func (s *Stage) ask(ctx, parent context.Context, key string, q *Question) (Verdict, error) {
	if s.broken != nil {
		return Verdict{}, s.newFault(core.FaultLoad, s.broken.Error())
	}
	if !s.slots.Take(ctx) {
		return Verdict{}, s.newCrowdedError(parent)
	}
	defer s.slots.Release()
	permit, ok := s.breaker.Allow()
	if !ok || permit.IsTrial() && !s.try(permit) {
		return Verdict{}, s.newFault(
			core.FaultOverload,
			fmt.Sprintf("out of service after %d failures in a row and a failed canary; tried again within %s", BreakerFailures, s.o.Pause),
		)
	}
	v, err := s.askOnce(ctx, parent, q)
	switch classifyOutcome(err) {
	case circuit.Success:
		s.faults.CountSuccess(key)
	case circuit.Failure:
		if s.faults.CountFault(key) {
			s.verifyReceiver()
		}
	}
	return v, err
}

func (s *Stage) askOnce(ctx, parent context.Context, q *Question) (Verdict, error) {
	v, err := s.asker.Ask(ctx, q)
	var e *Error
	switch {
	case err == nil:
		if err := v.check(q); err != nil {
			return Verdict{}, s.newFault(core.FaultVerdict, err.Error())
		}
		return v, nil
	case ctx.Err() != nil:
		return Verdict{}, s.newLateError(parent)
	case errors.As(err, &e):
		return Verdict{}, s.newFault(e.Kind, e.Reason)
	}
	if e := s.newLimitError(err); e != nil {
		return Verdict{}, e
	}
	return Verdict{}, s.newFault(core.FaultError, DescribeFailure(err))
}
