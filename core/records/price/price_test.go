package price_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/price"
)

func TestEachPartOfACallIsPricedAndRoundedOnce(t *testing.T) {
	// 0.15 USD for a million, 0.075 cached, 0.1875 stored; 0.6 written, 1.2 thought.
	p := &price.Price{
		Input:     1_500_000_000,
		Cached:    750_000_000,
		Written:   1_875_000_000,
		Output:    6_000_000_000,
		Reasoning: 12_000_000_000,
		Batch:     50,
	}
	u := llm.Usage{Reported: true, Input: 1000, Cached: 400, Written: 100, Output: 50, Reasoning: 20}
	assert.Equal(t, price.Cost{Input: 500*1500 + 400*750 + 100*1875, Output: 30*6000 + 20*12000}, p.ComputeCost(u))
	assert.Equal(t, price.Cost{Input: (500*1500 + 400*750 + 100*1875) / 2, Output: (30*6000 + 20*12000) / 2}, p.ComputeBatchCost(u))

	plain := &price.Price{Input: 1_500_000_000, Cached: -1, Written: -1, Output: 6_000_000_000, Reasoning: -1}
	assert.Equal(t, price.Cost{Input: 1000 * 1500, Output: 50 * 6000}, plain.ComputeCost(u))
	assert.Equal(t, plain.ComputeCost(u), plain.ComputeBatchCost(u))

	fine := &price.Price{Input: 500_000, Output: 499_999, Cached: -1, Written: -1, Reasoning: -1} // half a unit for a token, and less
	assert.Equal(t, price.Cost{Input: 1, Output: 0}, fine.ComputeCost(llm.Usage{Input: 1, Output: 1}))
	assert.Equal(t, price.Cost{Input: 2, Output: 1}, fine.ComputeCost(llm.Usage{Input: 3, Output: 2}))
	in, out := fine.PerToken()
	assert.Equal(t, []int64{1, 1}, []int64{in, out}, "rounded up")
	in, out = p.PerToken()
	assert.Equal(t, []int64{1875, 12000}, []int64{in, out}, "the dearest part")
}

func TestCountsThatMakeNoSenseCostNoNonsense(t *testing.T) {
	p := &price.Price{Input: 1_000_000, Cached: 0, Written: -1, Output: 1_000_000, Reasoning: -1}
	assert.Equal(t, price.Cost{}, p.ComputeCost(llm.Usage{Input: -5, Output: -5, Cached: 3, Reasoning: 9}))
	assert.Equal(t, price.Cost{Input: 0}, p.ComputeCost(llm.Usage{Input: 5, Cached: 50, Written: 50}))
	p = &price.Price{Input: math.MaxInt64, Cached: -1, Written: -1, Output: math.MaxInt64, Reasoning: -1}
	assert.Positive(t, p.ComputeCost(llm.Usage{Input: math.MaxInt64, Output: math.MaxInt64}).Total())
}

// What is held is never less than what a call costs, and a cost is the sum of rationals, each rounded.
func FuzzCost(f *testing.F) {
	f.Add(
		int64(1000),
		int64(10),
		int64(100),
		int64(3),
		int64(5),
		int64(1_500_000_000),
		int64(75),
		int64(1),
		int64(6_000_000_000),
		int64(-1),
		int64(50),
	)
	f.Add(int64(1), int64(1), int64(0), int64(0), int64(0), int64(500_000), int64(-1), int64(-1), int64(499_999), int64(0), int64(33))
	f.Fuzz(func(t *testing.T, input, output, cached, written, reasoning, in, ca, wr, out, re, batch int64) {
		bound := func(n, most int64) int64 { return max(n, -1) % most }
		p := &price.Price{
			Input:     max(bound(in, 1e16), 0),
			Cached:    bound(ca, 1e16),
			Written:   bound(wr, 1e16),
			Output:    max(bound(out, 1e16), 0),
			Reasoning: bound(re, 1e16),
			Batch:     max(bound(batch, 101), 0),
		}
		u := llm.Usage{
			Input:     bound(input, 1e6),
			Output:    bound(output, 1e6),
			Cached:    bound(cached, 1e6),
			Written:   bound(written, 1e6),
			Reasoning: bound(reasoning, 1e6),
		}
		perIn, perOut := p.PerToken()
		for _, c := range []price.Cost{p.ComputeCost(u), p.ComputeBatchCost(u)} {
			require.GreaterOrEqual(t, c.Input, int64(0))
			require.LessOrEqual(t, c.Input, perIn*max(u.Input, 0))
			require.LessOrEqual(t, c.Output, perOut*max(u.Output, 0))
		}
		q := price.Price{Input: p.Input, Cached: -1, Written: -1, Output: p.Output, Reasoning: -1}
		got := q.ComputeCost(u)
		exact := new(big.Rat).SetFrac64(max(u.Input, 0), 1_000_000)
		exact.Mul(exact, new(big.Rat).SetInt64(p.Input)).Sub(exact, new(big.Rat).SetInt64(got.Input)).Abs(exact)
		require.LessOrEqual(t, exact.Cmp(big.NewRat(1, 2)), 0)
	})
}

func TestWhatIsNoTokenHasItsOwnPrice(t *testing.T) {
	// 0.04 USD for a picture, 0.0001 for a second, 0.002 for a search, 15 for a million characters; input at 5, pictures in it at 10.
	p := &price.Price{
		Input: 50_000_000_000, Output: 400_000_000_000, Cached: -1, Written: -1, Reasoning: -1, Media: 100_000_000_000,
		Image: 400_000_000, Second: 1_000_000, Search: 20_000_000, Characters: 150_000_000_000,
	}
	for _, c := range []struct {
		u    llm.Usage
		want price.Cost
	}{
		{llm.Usage{Units: llm.Units{Images: 3}}, price.Cost{Output: 1_200_000_000}},
		{llm.Usage{Units: llm.Units{Millis: 1500}}, price.Cost{Input: 1_500_000}},
		{llm.Usage{Units: llm.Units{Searches: 2}}, price.Cost{Input: 40_000_000}},
		{llm.Usage{Units: llm.Units{Characters: 11}}, price.Cost{Input: 1_650_000}},
		{llm.Usage{Input: 100, Media: 40, Output: 10}, price.Cost{Input: 60*50_000 + 40*100_000, Output: 10 * 400_000}},
		{llm.Usage{Input: 100, Media: 400}, price.Cost{Input: 100 * 100_000}},
		{llm.Usage{Units: llm.Units{Images: -3, Millis: -1}}, price.Cost{}},
	} {
		assert.Equal(t, c.want, p.ComputeCost(c.u), "%+v", c.u)
	}
	seconds := llm.Usage{Units: llm.Units{Millis: 1000}}
	assert.True(t, p.Covers(seconds))
	assert.False(t, (&price.Price{Input: 1, Cached: -1, Written: -1, Reasoning: -1}).Covers(seconds), "the price of a second is unknown")
	assert.True(t, (&price.Price{Cached: -1, Written: -1, Reasoning: -1}).Covers(seconds), "the model is free")
	assert.True(t, (&price.Price{Input: 1}).Covers(llm.Usage{Input: 1, Units: seconds.Units}), "tokens are priced")
}
