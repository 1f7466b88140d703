package proxy_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

const manyBody = `{"model":"many","messages":[{"role":"user","content":"hi"}]}`

func TestTheNextTargetIsTriedOnlyWhenTheFirstHasRefusedOrWasNotReached(t *testing.T) {
	for _, c := range []struct {
		name, first string
		status      int
		second      bool
	}{
		{"after a refusal because of load", buildWhole(429, "application/json", "{}"), 200, true},
		{"after a server error", buildWhole(500, "application/json", "{}"), 200, true},
		{"not after a refusal of the request", buildWhole(400, "application/json", "{}"), 400, false},
		{"after an answer that broke off", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{", 200, true},
		{"not after silence", "", 502, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			second := newFake(t, says(buildWhole(200, "application/json", completion("second"))))
			g := open(t, setup{targets: []route.Provider{
				openAI(t, "a", newFake(t, says(c.first)).url, nil, noTimeouts), openAI(t, "b", second.url, nil, noTimeouts),
			}})
			a := g.post("dev", manyBody)
			assert.Equal(t, c.status, a.status, a.body)
			assert.Equal(t, c.second, len(second.requests()) > 0)
			res := g.outcome()
			if c.second {
				assert.Equal(t, "b", res["provider"])
				assert.Equal(t, "served", res["outcome"])
			}
		})
	}
	t.Run("after a connection that was refused", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, ln.Close())
		g := open(t, setup{targets: []route.Provider{
			openAI(t, "a", "http://"+ln.Addr().String(), nil, noTimeouts),
			openAI(t, "b", newFake(t, says(buildWhole(200, "application/json", completion("second")))).url, nil, noTimeouts),
		}})
		assert.Equal(t, 200, g.post("dev", manyBody).status)
	})
}

// choosy objects to targets by the name of their provider.
type choosy map[string]bool

func (c choosy) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	if p == core.Target && c[x.Target.Provider] {
		return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Code: "region", Public: "not there"}}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

func TestATargetThatAStageObjectsToIsSkipped(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("b"))))
	targets := []route.Provider{openAI(t, "a", up.url, nil, noTimeouts), openAI(t, "b", up.url, nil, noTimeouts)}
	t.Run("and is not recorded if another target serves", func(t *testing.T) {
		g := open(t, setup{targets: targets, links: []chain.Link{link("choosy", choosy{"a": true}, core.Target)}})
		assert.Equal(t, 200, g.post("dev", manyBody).status)
		res := g.outcome()
		assert.Equal(t, "served", res["outcome"])
		assert.Nil(t, res["by"])
	})
	t.Run("and its reason is the answer if no target is left", func(t *testing.T) {
		g := open(t, setup{targets: targets, links: []chain.Link{link("choosy", choosy{"a": true, "b": true}, core.Target)}})
		a := g.post("dev", manyBody)
		assert.Equal(t, 403, a.status)
		assert.Equal(t, "not there", errorOf(t, a)["message"])
		res := g.outcome()
		assert.Equal(t, "blocked", res["outcome"])
		assert.Equal(t, "choosy", res["by"])
	})
}

// usedUp objects to a target as an exhausted budget does.
type usedUp string

func (s usedUp) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	if p == core.Target && x.Target.Provider == string(s) {
		return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.RateLimited, Code: core.CodeQuota, NoRetry: true, Public: "used up"}}, nil
	}
	return core.Verdict{Action: core.Pass}, nil
}

func TestAUsedUpBudgetBehindABrokenProviderIsReportedAsSuch(t *testing.T) {
	bad := newFake(t, says(buildWhole(503, "application/json", "{}")))
	good := newFake(t, says(buildWhole(200, "application/json", completion("fine"))))
	g := open(t, setup{
		targets: []route.Provider{openAI(t, "a", bad.url, nil, noTimeouts), openAI(t, "b", good.url, nil, noTimeouts)},
		links:   []chain.Link{link("budget", usedUp("b"), core.Target)},
	})
	a := g.post("dev", manyBody)
	assert.Equal(t, 429, a.status, a.body)
	assert.Equal(t, core.CodeQuota, errorOf(t, a)["code"])
	assert.Empty(t, good.requests())
	res := g.outcome()
	assert.Equal(t, "blocked", res["outcome"])
	assert.Equal(t, "budget", res["by"])
}
