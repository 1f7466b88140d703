package route

import (
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// caller is who makes a call: see Ask.
type caller struct {
	witness string
	alone   bool
}

// Call is the permission for one call to a provider. The zero Call ignores reports.
type Call struct {
	p                   *providerHealth
	m                   *modelBreaker // nil: the model has no breaker yet
	model               string
	caller              caller
	ofProvider, ofModel circuit.Permit
}

// Report says how the call went: once when the answer can be used or has failed, and as BrokeOff if it failed after a part
// of it had been sent to the client.
func (c *Call) Report(r Blame) {
	if c.p == nil {
		return
	}
	now := c.p.h.since()
	c.reportProvider(r, now)
	m, permit := c.m, c.ofModel
	if m == nil { // a model gets a breaker with its first answer that a client cannot order by an invented name
		if r == Served || r == Failed || r == BrokeOff || r == Throttled || r == Silent {
			m = c.p.model(c.model, now)
		}
		if m == nil {
			if r != NoAnswer && r != Unknown && r != BrokeOff && r != Silent {
				c.p.others.Add(now, false)
			}
			return
		}
		if permit, _ = m.Allow(); permit.IsTrial() { // this call was none
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

// reportProvider counts what the call says about the provider as a whole: any answer shows that it can be reached.
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
