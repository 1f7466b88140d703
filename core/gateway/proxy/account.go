package proxy

import (
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// addDropped adds the usage of a call whose answer did not reach the client: none came, or it could not be used, but
// the provider may have served it. See estimate for a client that has hung up.
func (c *call) addDropped() {
	x := &c.x
	n := len(x.Attempts)
	if n == 0 || c.attempts.result.Ours || x.Outcome.Kind == core.ClientGone || x.Head.Task == llm.TaskCount {
		return
	}
	a := &x.Attempts[n-1]
	var u llm.Usage
	switch {
	case a.Lost:
		u = llm.Usage{Estimated: true, Input: c.requestTokens()}
	case a.Status >= http.StatusOK && a.Status < 300 && c.attempts.result.Status < 300:
		if u = x.Usage; c.tr != nil && c.tr.usage.Reported {
			u = c.tr.usage
		}
		if !u.Known() {
			u = llm.Usage{Estimated: true, Input: c.requestTokens(), Output: c.sample.tokens()}
		}
	default: // providers do not charge for errors
		return
	}
	a.Usage, c.attempts.paid = u, true
	c.dropped = c.dropped.Add(u)
	x.Usage = llm.Usage{}
	c.sample.reset()
	if c.tr != nil {
		c.tr.usage = c.tr.before
	}
}

// account sums the usage and cost of all calls of the exchange, before its end is reported.
func (c *call) account() {
	x := &c.x
	x.Cost, x.InputCost, x.PriceID, x.Priced = 0, 0, "", true
	if len(x.Attempts) == 0 { // for example, a stage answered: that costs nothing
		return
	}
	if x.Outcome.Kind == core.Served && !x.Usage.Known() && x.Head.Task != llm.TaskCount {
		x.Usage = c.estimateAnswer()
	}
	if x.Outcome.Kind == core.ClientGone && !x.Head.Stream && x.Usage.Estimated && len(c.answer) > 0 {
		var text sample
		text.add(string(c.answer)) // the part that was received
		x.Usage.Output += text.tokens()
	}
	x.Usage = x.Usage.Add(c.dropped)
	rest := x.Usage
	for i := range x.Attempts {
		a := &x.Attempts[i]
		c.addCost(&a.Target, a.Usage)
		rest.Input -= a.Usage.Input
		rest.Output -= a.Usage.Output
		rest.Cached -= a.Usage.Cached
		rest.Written -= a.Usage.Written
		rest.Reasoning -= a.Usage.Reasoning
	}
	c.addCost(&x.Target, rest)
}

// estimateAnswer estimates the usage of an answer whose provider reports none.
func (c *call) estimateAnswer() llm.Usage {
	x := &c.x
	u := llm.Usage{Estimated: true, Input: c.requestTokens()}
	switch {
	case x.Head.Task == llm.TaskEmbed:
	case x.Head.Stream:
		u.Output = c.sample.tokens()
	default:
		var text sample
		for i := range x.Response.Segments {
			text.add(x.Response.Text(i))
		}
		u.Output = text.tokens()
	}
	return u
}

// addCost adds the cost of a call.
func (c *call) addCost(target *core.TargetRef, u llm.Usage) {
	if u.Input <= 0 && u.Output <= 0 {
		return
	}
	x := &c.x
	if c.snap.Prices != nil {
		if p := c.snap.Prices.Price(target.Provider, target.Model); p != nil {
			cost := p.Cost(u)
			x.Cost += cost.Total()
			x.InputCost += cost.Input
			x.PriceID = p.ID
			return
		}
	}
	x.Priced = false
}
