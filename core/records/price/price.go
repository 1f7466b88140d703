package price

import (
	"math/bits"

	"github.com/headgate-dev/headgate/core/llm"
)

// Lookup finds the prices of models.
type Lookup interface {
	// FindPerToken returns the highest cost of a single token, in units of 1e-10 USD, rounded up, so that a reservation
	// never falls short of the cost. ok is false if the price is unknown.
	FindPerToken(provider, model string) (input, output int64, ok bool)
	// FindPrice returns the price in force, or nil if it is unknown.
	FindPrice(provider, model string) *Price
}

// Price is the price of a model in units of 1e-10 USD per million tokens.
type Price struct {
	ID            string // names the price in cost records
	Input, Output int64
	// Prices that differ from Input: tokens read from the provider's prompt cache, and tokens written to it. Price that
	// differs from Output: reasoning tokens. A negative value means the same as Input or Output.
	Cached, Written, Reasoning int64
	// Media is the price of input that is sound or pictures, per million tokens; 0 means the same as Input.
	Media int64
	// MediaOutput is the price of output that is sound, per million tokens; 0 means the same as Output.
	MediaOutput int64
	// What is charged by other units than tokens: a picture, a second of sound, a search of a reranker, a million
	// characters that are spoken.
	Image, Second, Search, Characters int64
	// Batch is the percentage of the price that a batch pays; 0 means the full price.
	Batch int64
}

// Cost is the cost of a call in units of 1e-10 USD.
type Cost struct{ Input, Output int64 }

// Total returns the sum of both parts.
func (c Cost) Total() int64 { return c.Input + c.Output }

// Add returns the sum of two costs.
func (c Cost) Add(o Cost) Cost { return Cost{c.Input + o.Input, c.Output + o.Output} }

// ComputeCost returns the cost of a call. It is the sum of the parts (new input, cache reads, cache writes, output,
// reasoning), each rounded half up to 1e-10 USD. The sum is not rounded again.
func (p *Price) ComputeCost(u llm.Usage) Cost { return p.computeCost(u, 100) }

// ComputeBatchCost is ComputeCost for the requests of a batch.
func (p *Price) ComputeBatchCost(u llm.Usage) Cost {
	if p.Batch == 0 {
		return p.computeCost(u, 100)
	}
	return p.computeCost(u, p.Batch)
}

func (p *Price) computeCost(u llm.Usage, pct int64) Cost {
	input, output := max(u.Input, 0), max(u.Output, 0)
	cached := min(max(u.Cached, 0), input)
	written := min(max(u.Written, 0), input-cached)
	media := int64(0)
	if p.Media > 0 {
		media = min(max(u.Media, 0), input-cached-written)
	}
	reasoning := min(max(u.Reasoning, 0), output)
	spoken := int64(0)
	if p.MediaOutput > 0 {
		spoken = min(max(u.MediaOutput, 0), output-reasoning)
	}
	c := Cost{
		Input: computeCharge(input-cached-written-media, p.Input, pct) + computeCharge(media, p.Media, pct) +
			computeCharge(cached, orElse(p.Cached, p.Input), pct) + computeCharge(written, orElse(p.Written, p.Input), pct),
		Output: computeCharge(output-reasoning-spoken, p.Output, pct) + computeCharge(spoken, p.MediaOutput, pct) +
			computeCharge(reasoning, orElse(p.Reasoning, p.Output), pct),
	}
	if n := &u.Units; *n != (llm.Units{}) {
		c.Input += computeCharge(n.Millis*(million/1000), p.Second, pct) + computeCharge(n.Searches*million, p.Search, pct) +
			computeCharge(n.Characters, p.Characters, pct)
		c.Output += computeCharge(n.Images*million, p.Image, pct)
	}
	return c
}

// Covers reports whether the price says what a call costs that has used something else than tokens: it has a price for
// one of the units, or the model is free.
func (p *Price) Covers(u llm.Usage) bool {
	if u.Input > 0 || u.Output > 0 || u.Units == (llm.Units{}) {
		return true
	}
	free := p.Input == 0 && p.Output == 0 && p.Image == 0 && p.Second == 0 && p.Search == 0 && p.Characters == 0
	return free || p.computeCost(u, 100).Total() > 0
}

// PerToken returns the highest cost of a single token; see Lookup.
func (p *Price) PerToken() (input, output int64) {
	up := func(n int64) int64 { return (n + million - 1) / million }
	return up(max(p.Input, p.Cached, p.Written, p.Media)), up(max(p.Output, p.Reasoning, p.MediaOutput))
}

const million = 1_000_000

func orElse(n, other int64) int64 {
	if n < 0 {
		return other
	}
	return n
}

// maxCost caps the cost of one part. It is far above any real cost and leaves room for sums.
const maxCost = 1 << 58

// computeCharge returns the cost of tokens at a price per million, of which pct per cent are charged, rounded half up.
func computeCharge(tokens, price, pct int64) int64 {
	if tokens <= 0 || price <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(tokens), uint64(price))
	over, lo := bits.Mul64(lo, uint64(pct))
	hi = hi*uint64(pct) + over
	const unit = 100 * million
	if hi >= unit {
		return maxCost
	}
	n, rest := bits.Div64(hi, lo, unit)
	if rest >= unit/2 {
		n++
	}
	return int64(min(n, maxCost))
}
