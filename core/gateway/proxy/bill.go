package proxy

import (
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/dialect/direct"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/llm"
)

// bill counts the usage of all calls of an exchange and computes its cost.
type bill struct {
	call    *call
	sample  sample    // of a streamed answer, since the provider's last count
	asked   sample    // of the request's texts, once the request was released
	dropped llm.Usage // of calls whose answers did not reach the client
}

// reset prepares for another exchange.
func (b *bill) reset() {
	b.dropped = llm.Usage{}
	b.sample = sample{text: scratch.Reset(b.sample.text)}
	b.asked = sample{text: scratch.Reset(b.asked.text)}
}

// addDropped adds the usage of a call whose answer did not reach the client: none came, or it could not be used, but
// the provider may have served it. See estimate for a client that has hung up.
func (b *bill) addDropped() {
	x := &b.call.x
	n := len(x.Attempts)
	if n == 0 || b.call.attempts.result.Ours || x.Outcome.Kind == core.ClientGone || x.Head.Task == llm.TaskCount || b.call.peer != nil {
		return
	}
	a := &x.Attempts[n-1]
	var u llm.Usage
	switch {
	case a.Lost:
		u = b.estimateRequest()
	case a.Status >= http.StatusOK && a.Status < 300 && b.call.attempts.result.Status < 300:
		if u = x.Usage; b.call.answer.tr != nil && b.call.answer.tr.usage.Reported {
			u = b.call.answer.tr.usage
		}
		if !u.Known() {
			u = b.estimateRequest()
			u.Output += b.sample.estimateTokens()
		}
	default: // providers do not charge for errors
		return
	}
	a.Usage, b.call.attempts.paid = u, true
	b.dropped = b.dropped.Add(u)
	x.Usage = llm.Usage{}
	b.sample.reset()
	if b.call.answer.tr != nil {
		b.call.answer.tr.usage = b.call.answer.tr.before
	}
}

// addRejected adds the usage of an answer that a link rejected.
func (b *bill) addRejected() {
	u := b.call.x.Usage
	if !u.Known() {
		u = b.estimateAnswer()
	}
	b.call.x.Attempts[len(b.call.x.Attempts)-1].Usage = u
	b.dropped = b.dropped.Add(u)
}

// sumCosts sums the usage and cost of all calls of the exchange, before its end is reported.
func (b *bill) sumCosts() {
	x := &b.call.x
	x.Cost, x.InputCost, x.PriceID, x.Priced = 0, 0, "", true
	if len(x.Attempts) == 0 { // for example, a stage answered: that costs nothing
		return
	}
	if b.call.peer != nil { // a server or an agent reports no usage: it has a price per call
		x.Cost = b.call.peer.sumCost()
		x.InputCost = x.Cost
		return
	}
	if x.Outcome.Kind == core.Served && !x.Usage.Known() && x.Head.Task != llm.TaskCount {
		x.Usage = b.estimateAnswer()
	}
	if x.Outcome.Kind == core.ClientGone && !x.Head.Stream && x.Usage.Estimated && len(b.call.answer.received) > 0 {
		var text sample
		text.add(string(b.call.answer.received)) // the part that was received
		x.Usage.Output += text.estimateTokens()
	}
	b.fillTokens()
	x.Usage = x.Usage.Add(b.dropped)
	rest := x.Usage
	for i := range x.Attempts {
		a := &x.Attempts[i]
		b.addCost(&a.Target, a.Usage)
		rest = rest.Subtract(a.Usage)
	}
	b.addCost(&x.Target, rest)
}

// addCost adds the cost of a call.
func (b *bill) addCost(target *core.TargetRef, u llm.Usage) {
	if u.Input <= 0 && u.Output <= 0 && u.Units == (llm.Units{}) {
		return
	}
	x := &b.call.x
	if b.call.snap.Prices != nil {
		if p := b.call.snap.Prices.FindPrice(target.Provider, target.Model); p != nil {
			cost := p.ComputeCost(u)
			x.Cost += cost.Total()
			x.InputCost += cost.Input
			x.PriceID, x.Priced = p.ID, x.Priced && p.Covers(u)
			return
		}
	}
	x.Priced = false
}

// fillTokens adds an estimate of tokens to a usage that was reported in units alone, if the model is priced by tokens.
func (b *bill) fillTokens() {
	x := &b.call.x
	d, ok := b.call.d.(*direct.Shape)
	if !ok || !x.Usage.Reported || x.Usage.Total() > 0 || b.call.snap.Prices == nil {
		return
	}
	if p := b.call.snap.Prices.FindPrice(x.Target.Provider, x.Target.Model); p != nil && !p.Covers(x.Usage) {
		u := d.Estimate(x, b.countRequestTokens())
		u.Units = x.Usage.Units
		x.Usage = u
	}
}

// estimateRequest estimates what the provider charges for a request alone. The request of a bounded task tells all that
// its answer can use: a provider that does not report it is taken to have used what a budget holds.
func (b *bill) estimateRequest() llm.Usage {
	if d, ok := b.call.d.(*direct.Shape); ok {
		return d.Estimate(&b.call.x, b.countRequestTokens())
	}
	if x := &b.call.x; x.Head.Task == llm.TaskTalk {
		media := x.Head.MaxUsage.Media
		return llm.Usage{Estimated: true, Input: b.countRequestTokens() + media, Media: media}
	}
	return llm.Usage{Estimated: true, Input: b.countRequestTokens()}
}

// estimateAnswer estimates the usage of an answer whose provider reports none.
func (b *bill) estimateAnswer() llm.Usage {
	x := &b.call.x
	u := b.estimateRequest()
	switch {
	case x.Head.Task == llm.TaskTalk: // what was held
		u.Output, u.MediaOutput = x.Head.MaxUsage.Output, x.Head.MaxUsage.MediaOutput
	case x.Head.Task == llm.TaskCompact:
		u.Output = x.Head.MaxUsage.Output
	case x.Head.Task == llm.TaskEmbed, x.Head.Task.IsBounded():
	case x.Head.Stream:
		u.Output = b.sample.estimateTokens()
	default:
		var text sample
		for i := range x.Response.Segments {
			text.add(x.Response.ReadText(i))
		}
		u.Output = text.estimateTokens()
	}
	return u
}

// estimateCutOff estimates the usage of an exchange that was cut off, as far as the provider has not reported it: the
// request, if it was sent, and the text since the last count.
func (b *bill) estimateCutOff() {
	x, u := &b.call.x, &b.call.x.Usage
	done := x.Outcome.Complete || x.Outcome.Kind == core.Served || b.call.state.crashed
	if done || !b.call.state.asked || b.call.peer != nil || counters[b.call.d.Name()] != nil {
		return
	}
	if x.Outcome.Kind != core.ClientGone && b.sample.size == 0 && !b.isServed() { // a refusal costs nothing
		return
	}
	if n := len(x.Attempts); n > 0 && x.Attempts[n-1].Status >= http.StatusMultipleChoices {
		return
	}
	if !u.Known() {
		*u = b.estimateRequest()
	}
	if n := b.sample.estimateTokens(); n > 0 {
		u.Reported, u.Estimated = false, true
		if x.Head.Task == llm.TaskTalk { // the provider has spoken it, and further than the client has heard
			n = min(n*spokenPerToken, x.Head.MaxUsage.Output)
			u.MediaOutput += n
		}
		u.Output += n
	}
}

// isServed reports whether a provider has begun the last answer, in a shape whose answers need no text, and nothing of it has
// been booked. Its work is charged for, whether or not the client gets all of it.
func (b *bill) isServed() bool {
	n := len(b.call.x.Attempts)
	if n == 0 || !isDirect(b.call.d) {
		return false
	}
	last := &b.call.x.Attempts[n-1]
	return last.Status >= http.StatusOK && last.Status < http.StatusMultipleChoices && !last.Usage.Known()
}

// spokenPerToken is the tokens of sound for a token of its transcript: 20 a second, and a fast speaker says 3 tokens in it.
const spokenPerToken = 7

// perMessage is the number of tokens of a message beside its text; see package tokens.
const perMessage = 3

// countRequestTokens estimates the tokens that the provider has read.
func (b *bill) countRequestTokens() int64 {
	p, text := &b.call.x.Request, sample{}
	if b.asked.size > 0 {
		text = b.asked
	}
	for i := range p.Segments {
		text.add(p.ReadText(i))
		text.add("\n")
	}
	n := text.estimateTokens()
	if b.call.d.Name() != openai.EmbeddingsName && !b.call.x.Head.Task.IsBounded() {
		n += perMessage * int64(b.call.x.Head.Messages+1)
	}
	return n
}
