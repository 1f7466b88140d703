package proxy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// broken is a stage that fails in one way.
type broken struct{ how core.Fault }

func (b broken) Error() string     { return "the stage is broken" }
func (b broken) Fault() core.Fault { return b.how }

func (b broken) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{}, b
}

func TestEachKindOfFaultIsToldInTheRecordAndTheTiming(t *testing.T) {
	for f := core.FaultError; f <= core.FaultLoad; f++ {
		t.Run(f.String(), func(t *testing.T) {
			shadow := link("trial", broken{f}, core.Request)
			shadow.Mode = chain.Shadow
			passes := link("lenient", broken{f}, core.Request)
			passes.OnFault = chain.FaultPasses
			g := open(t, setup{url: newFake(t, says(buildWhole(200, "application/json", completion("hi")))).url, chain: func(core.Tokens) []chain.Link {
				return []chain.Link{passes, shadow}
			}})
			a := g.post("dev", chat("hi"), "X-Server-Timing", "1")
			require.Equal(t, 200, a.status)
			timing := a.header.Get("Server-Timing")
			assert.Contains(t, timing, `lenient;desc="request undecided fault `+f.String()+`"`)
			assert.Contains(t, timing, `trial;desc="request undecided fault `+f.String()+` shadow"`)
			assert.Equal(t, []any{
				map[string]any{"link": "lenient", "phase": "request", "fault": f.String()},
				map[string]any{"link": "trial", "phase": "request", "fault": f.String(), "shadow": true},
			}, g.outcome()["faults"])
		})
	}
	g := open(t, setup{url: newFake(t, says(buildWhole(200, "application/json", completion("hi")))).url, chain: func(core.Tokens) []chain.Link {
		return []chain.Link{link("strict", broken{core.FaultDepth}, core.Request)}
	}})
	a := g.post("dev", chat("hi"))
	assert.Equal(t, 503, a.status)
	assert.Contains(t, errorOf(t, a)["message"], "(depth)")
	assert.Equal(t, []any{map[string]any{"link": "strict", "phase": "request", "fault": "depth"}}, g.outcome()["faults"])
}
