package route

import (
	"github.com/headgate-dev/headgate/core/circuit"
)

// breaker is the circuit of one provider. It opens when too many calls in a window fail, or are throttled.
type breaker struct {
	circuit.Breaker
	h                   *Health
	provider            string
	failing, throttling circuit.Window
}

func newBreaker(h *Health, provider string) *breaker {
	b := &breaker{h: h, provider: provider}
	b.failing.SetLength(h.set.Window)
	b.throttling.SetLength(h.set.Window)
	b.Init(circuit.Settings{
		Pause: h.set.OpenFor, MaxPause: h.set.MaxOpen, Trials: h.set.Trials, TrialTimeout: h.set.MaxOpen, Since: h.since, Changed: b.change,
	})
	return b
}

// change forgets the failures that opened the circuit when it closes, and passes the change on.
func (b *breaker) change(s State) {
	if s == Closed {
		b.failing.Reset()
		b.throttling.Reset()
	}
	if b.h.Changed != nil {
		b.h.Changed(b.provider, s)
	}
}

// Call is the permission for one call to a provider. The zero Call ignores reports.
type Call struct {
	b      *breaker
	permit circuit.Permit
}

// Report says how the call went: once when the answer can be used or has failed, and as BrokeOff if it failed after a part
// of it had been sent to the client.
func (c Call) Report(r Blame) {
	switch {
	case c.b == nil || !c.permit.IsCurrent():
	case c.permit.IsTrial():
		c.b.judgeTrial(c.permit, r)
	default:
		c.b.count(c.permit, r)
	}
}

// count counts a call through a closed circuit, and opens it when a limit is reached.
func (b *breaker) count(p circuit.Permit, r Blame) {
	set, now := &b.h.set, b.h.since()
	switch r {
	case Served:
		b.failing.Add(now, false)
	case Failed, BrokeOff:
		if r == Failed {
			b.failing.Add(now, true)
		} else {
			b.failing.Fail(now)
		}
		calls, failed := b.failing.Sum(now)
		if failed >= uint64(set.Failures) && failed*100 >= uint64(set.FailurePercent)*calls {
			p.Trip()
		}
	case Throttled:
		b.throttling.Add(now, true)
		if _, n := b.throttling.Sum(now); set.Throttles > 0 && n >= uint64(set.Throttles) {
			p.Trip()
		}
	}
}

func (b *breaker) judgeTrial(p circuit.Permit, r Blame) {
	switch {
	case r == Failed || r == BrokeOff || r == Throttled && b.h.set.Throttles > 0:
		p.Trip()
	case r == Unknown:
		p.Release()
	default:
		p.Succeed()
	}
}
