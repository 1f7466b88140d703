package budget

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/direct"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/price"
)

// unitPrices adds prices of units to those of tokens: 0.04 USD for a picture.
type unitPrices struct{ prices }

func (u unitPrices) FindPrice(provider, model string) *price.Price {
	p := u.prices.FindPrice(provider, model)
	if p != nil {
		p.Input, p.Output, p.Image = 0, 0, 400_000_000
	}
	return p
}

func TestWhatACallMayCostInUnitsIsHeldAndSettled(t *testing.T) {
	runOnEach(t, func(t *testing.T, s core.State) {
		budget := usd(1_000_000_000) // 0.10 USD
		b := newBench(t, s, "{}", budget)
		st, err := New(block("{}"), Deps{State: s, Prices: unitPrices{}, Routes: cheapFirst{}, Spending: b.spending})
		require.NoError(t, err)
		b.chain, err = chain.New([]chain.Link{{Name: Name, Stage: st, Phases: Phases, Mode: chain.Enforce, OnFault: chain.FaultBlocks}}, nil)
		require.NoError(t, err)
		draw := func(n string) (*core.Exchange, chain.Decision) {
			x := &core.Exchange{Principal: &core.Principal{Tenant: "acme", KeyID: "k", KeyName: "k"}, Dialect: direct.ImagesName}
			x.Request.Raw = []byte(`{"model":"gpt-image-1","prompt":"a cat","n":` + n + `}`)
			require.Nil(t, direct.Shapes[direct.ImagesName].Scan(x))
			require.Equal(t, core.Pass, b.chain.RunRequest(context.Background(), x).Action)
			return x, b.target(x, "cheap")
		}
		x, d := draw("3")
		require.Equal(t, core.Block, d.Action, "three pictures cost 0.12 USD")
		b.refuse(x, d)
		x, d = draw("2")
		require.NotEqual(t, core.Block, d.Action, "%v", d.Err)
		_, d = draw("1")
		require.Equal(t, core.Block, d.Action, "0.08 USD are held")
		x.Attempts = append(x.Attempts, core.Attempt{Target: x.Target, Status: 200})
		x.Usage, x.Cost, x.Priced = llm.Usage{Reported: true, Units: llm.Units{Images: 1}}, 400_000_000, true
		b.end(x)
		assert.EqualValues(t, 600_000_000, b.readLeft()[0].Left, "one picture came")
	})
}

func TestALargeFileHoldsWhatItsSoundMayCost(t *testing.T) {
	x := &core.Exchange{Dialect: direct.TranscriptionName}
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n" + strings.Repeat("x", 2_000_000) +
		"\r\n--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n--b--\r\n"
	x.Request.Raw = []byte(body)
	x.Request.Header = map[string][]string{"Content-Type": {"multipart/form-data; boundary=b"}}
	require.Nil(t, direct.Shapes[direct.TranscriptionName].Scan(x))
	p := price.Price{Second: 1_000_000}
	assert.EqualValues(t, 2001*1_000_000, p.ComputeCost(x.Head.MaxUsage).Total(), "2 MB are 2,001 seconds at most")
}
