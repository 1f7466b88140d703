package price

import (
	"math/bits"

	"github.com/headgate-dev/headgate/core/llm"
)

// Lookup are what models cost.
type Lookup interface {
	// PerToken gives the most that a token can cost, in units of 1e-10 USD, rounded up:
	// what is held for a call is never less than what it costs. ok is false when it is
	// not known.
	PerToken(provider, model string) (input, output int64, ok bool)
	// Price gives the price that is in force; nil: none is known.
	Price(provider, model string) *Price
}

// Price is what a model costs: units of 1e-10 USD for a million tokens, so that prices
// may be as fine as 1e-10 USD for a million.
type Price struct {
	ID            string // names it in cost records
	Input, Output int64
	// What differs from Input: input that the provider read from its prompt cache, and
	// that it stored there. What differs from Output: reasoning. Negative: as Input and
	// Output.
	Cached, Written, Reasoning int64
	// Batch is what a batch is charged, in per cent of the prices; 0: all of them.
	Batch int64
}

// Cost is what a call has cost, in units of 1e-10 USD.
type Cost struct{ Input, Output int64 }

// Total is both together.
func (c Cost) Total() int64 { return c.Input + c.Output }

// Add sums two calls.
func (c Cost) Add(o Cost) Cost { return Cost{c.Input + o.Input, c.Output + o.Output} }

// Cost is what a call costs: the sum of its parts (input that is new, read from the
// cache, stored there; output, reasoning), each of which is rounded half up to 1e-10
// USD, and nothing after that.
func (p *Price) Cost(u llm.Usage) Cost { return p.cost(u, 100) }

// BatchCost is Cost for the requests of a batch.
func (p *Price) BatchCost(u llm.Usage) Cost {
	if p.Batch == 0 {
		return p.cost(u, 100)
	}
	return p.cost(u, p.Batch)
}

func (p *Price) cost(u llm.Usage, pct int64) Cost {
	input, output := max(u.Input, 0), max(u.Output, 0)
	cached := min(max(u.Cached, 0), input)
	written := min(max(u.Written, 0), input-cached)
	reasoning := min(max(u.Reasoning, 0), output)
	return Cost{
		Input: charge(
			input-cached-written,
			p.Input,
			pct,
		) + charge(
			cached,
			or(p.Cached, p.Input),
			pct,
		) + charge(
			written,
			or(p.Written, p.Input),
			pct,
		),
		Output: charge(output-reasoning, p.Output, pct) + charge(reasoning, or(p.Reasoning, p.Output), pct),
	}
}

// PerToken is the most that a token can cost; see Prices.
func (p *Price) PerToken() (input, output int64) {
	up := func(n int64) int64 { return (n + million - 1) / million }
	return up(max(p.Input, p.Cached, p.Written)), up(max(p.Output, p.Reasoning))
}

const million = 1_000_000

func or(n, other int64) int64 {
	if n < 0 {
		return other
	}
	return n
}

// mostCost bounds what one part may cost: nothing real comes near it, and sums have room.
const mostCost = 1 << 58

// charge is the cost of some tokens at a price for a million, of which pct per cent are
// charged, rounded half up.
func charge(tokens, price, pct int64) int64 {
	if tokens == 0 || price <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(tokens), uint64(price))
	over, lo := bits.Mul64(lo, uint64(pct))
	hi = hi*uint64(pct) + over
	const unit = 100 * million
	if hi >= unit {
		return mostCost
	}
	n, rest := bits.Div64(hi, lo, unit)
	if rest >= unit/2 {
		n++
	}
	return int64(min(n, mostCost))
}
