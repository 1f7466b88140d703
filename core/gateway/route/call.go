package route

import (
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// caller identifies the caller: see Ask.
type caller struct {
	id    string
	alone bool
}

// Call is the permission for one call to a provider. The zero Call ignores reports.
type Call struct {
	p                   *providerHealth
	m                   *modelBreaker // nil if the model has no breaker yet
	model               string
	caller              caller
	ofProvider, ofModel circuit.Permit
}

// Report records the outcome of the call. Call it once when the answer is usable or has failed, and again as BrokeOff
// if it failed after a part of it was sent to the client.
func (c *Call) Report(r Blame) {
	if c.p == nil {
		return
	}
	now := c.p.h.measureUptime()
	c.reportProvider(r, now)
	m, permit := c.m, c.ofModel
	if m == nil { // a model gets a breaker at its first answer that an invented name cannot produce
		if r == Served || r == Failed || r == BrokeOff || r == Throttled || r == Silent {
			m = c.p.ensureBreaker(c.model, now)
		}
		if m == nil {
			if r != NoAnswer && r != Unknown && r != BrokeOff && r != Silent {
				c.p.others.Add(now, false)
			}
			return
		}
		if permit, _ = m.Allow(); permit.IsTrial() { // this call was not a trial
			permit.Release()
			return
		}
	}
	switch {
	case !permit.IsCurrent():
	case permit.IsTrial():
		m.judgeTrial(permit, r, c.caller, now)
	default:
		m.count(permit, r, c.caller, now)
	}
}

// reportProvider counts the call for the provider as a whole: any answer shows that it is reachable.
func (c *Call) reportProvider(r Blame, now time.Duration) {
	switch {
	case !c.ofProvider.IsCurrent():
	case !c.ofProvider.IsTrial():
		if r == NoAnswer {
			c.p.addUnanswered(c.ofProvider, now)
		}
	case r == NoAnswer:
		c.ofProvider.Trip()
	case r == Unknown, r == Silent: // the next call may try
		c.ofProvider.Release()
	default:
		c.ofProvider.Succeed()
	}
}
