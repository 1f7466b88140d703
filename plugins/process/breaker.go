package process

import (
	"time"

	"github.com/headgate-dev/headgate/core/gateway/circuit"
)

// tripAfter is how many faults in a row take a running plugin out of service.
const tripAfter = 5

// breaker takes a plugin that keeps failing out of service for a while, so that exchanges do not each wait for its failure.
// After the pause one call tries it. A process that has ended is another matter: it is not called while it does not run.
type breaker struct {
	p      *process
	streak *circuit.Streak
}

// newBreaker returns a closed breaker. since is a monotonic clock.
func newBreaker(p *process, since func() time.Duration) breaker {
	return breaker{p, circuit.NewStreak(tripAfter, circuit.Settings{Pause: firstPause, MaxPause: lastPause, KeepPause: true, Since: since})}
}

// neutral are the outcomes that say nothing about how a running process does its work.
var neutral = map[Outcome]bool{OutcomeOverload: true, OutcomeDown: true, OutcomeClosed: true, OutcomeCrash: true, OutcomeHang: true}

// reset forgets the faults of an earlier process.
func (b *breaker) reset() { b.streak.Reset() }

// allow returns the permit for a call, or why the plugin is not called now.
func (b *breaker) allow() (circuit.Permit, *Error) {
	if p, ok := b.streak.Allow(); ok {
		return p, nil
	}
	wait := time.Duration(0) // while a trial is under way
	if s, left := b.streak.State(); s == circuit.Open {
		wait = left
	}
	return circuit.Permit{}, b.p.fault(
		OutcomeDown,
		"out of service after %d faults in a row; tried again in %s",
		tripAfter,
		wait.Round(100*time.Millisecond),
	)
}

// report takes the result of a call that was allowed: nil, or what was wrong with it.
func (b *breaker) report(p circuit.Permit, err *Error) {
	switch {
	case err == nil:
		if b.streak.Failures() > 0 {
			b.streak.ShortenPause()
		}
		b.streak.Report(p, circuit.Success)
	case err.left != nil || neutral[err.Outcome]:
		b.streak.Report(p, circuit.Neutral)
	default:
		b.streak.Report(p, circuit.Failure)
	}
}

// open reports whether the plugin is out of service.
func (b *breaker) open() bool { return !b.streak.IsClosed() }
