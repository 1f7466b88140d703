package chain_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// slow is a stage whose work on any text takes for ever, and that looks at its context. tries bounds it where nothing else does.
type slow struct{ stopped error }

const tries = 1 << 22

func (s *slow) Check(ctx context.Context, _ *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	for range tries {
		if s.stopped = core.CheckWork(ctx); s.stopped != nil {
			return core.Verdict{}, s.stopped
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

func (s *slow) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return slowFilter{s}, nil
}

type slowFilter struct{ *slow }

func (f slowFilter) Check(ctx context.Context, _ core.Window) (core.Verdict, int, error) {
	v, err := f.slow.Check(ctx, nil, core.Response, nil)
	return v, 0, err
}

func (slowFilter) Close(context.Context) error { return nil }

// longText is long enough to be metered.
var longText = strings.Repeat("word ", 8<<10)

func TestALinkThatUsesUpItsCPUTimeHasFailed(t *testing.T) {
	request := strings.Replace(helloRequest, "hello", longText, 1)
	answer := strings.Replace(helloAnswer, "hello", longText, 1)
	for _, phase := range []core.Phase{core.Request, core.Response} {
		for _, mode := range []chain.Mode{chain.Enforce, chain.Shadow} {
			for _, rule := range []chain.OnFault{chain.FaultBlocks, chain.FaultPasses} {
				s := new(slow)
				l := link("slow", s)
				l.Phases, l.Mode, l.OnFault, l.CPU = core.NewPhaseSet(phase), mode, rule, time.Millisecond
				after := 0
				c := newChain(t, nil, l, link("after", &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
					after++
					return core.Verdict{Action: core.Pass}, nil
				}}))
				x := newRequest(t, request)
				d := c.RunRequest(context.Background(), x)
				if phase == core.Response {
					setAnswer(t, x, answer)
					d = c.RunResponse(context.Background(), x)
				}
				require.ErrorContains(t, s.stopped, "limits.cpu")
				require.Equal(t, core.FaultTimeout, x.Visits[0].Fault|x.Visits[len(x.Visits)-1].Fault)
				if mode == chain.Enforce && rule == chain.FaultBlocks {
					require.Equal(t, core.Block, d.Action)
					assert.True(t, d.Fault)
					assert.Equal(t, core.CodeGuardUnavailable, d.Err.Code)
					assert.NotContains(t, d.Err.Public, "word")
				} else {
					assert.Equal(t, core.Pass, d.Action)
					assert.Positive(t, after)
				}
			}
		}
	}
}

func TestAWindowThatUsesUpTheCPUTimeOfALinkEndsTheStream(t *testing.T) {
	s := new(slow)
	l := link("slow", s)
	l.Phases, l.CPU = core.NewPhaseSet(core.Response), time.Millisecond
	c := newChain(t, nil, l)
	x := newRequest(t, helloRequest)
	c.RunRequest(context.Background(), x)
	stream, e := c.Stream(context.Background(), x, openai.Chat{})
	require.Nil(t, e)
	defer stream.Close(context.Background())
	var ev core.Event
	ev.Reset([]byte(contentOf(0, longText)))
	require.NoError(t, openai.Chat{}.ScanEvent(x, &ev))
	_, e = stream.RunEvent(context.Background(), &ev, nil)
	require.NotNil(t, e)
	assert.Equal(t, core.CodeGuardUnavailable, e.Code)
	assert.ErrorContains(t, s.stopped, "limits.cpu")
}

func TestALinkWithoutALimitWorksOn(t *testing.T) {
	s := new(slow)
	d := newChain(t, nil, link("slow", s)).RunRequest(context.Background(), newRequest(t, strings.Replace(helloRequest, "hello", longText, 1)))
	assert.Equal(t, core.Pass, d.Action)
	assert.NoError(t, s.stopped)
}
