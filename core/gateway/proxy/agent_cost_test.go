package proxy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/agents"
)

func TestAStreamThatEndsInAnErrorCostsItsPriceIfTheAgentHasWorked(t *testing.T) {
	const failure = `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broken"}}`
	v := agentVersions["1.0"]
	for name, c := range map[string]struct {
		reply string
		want  int64
	}{
		"an error alone":          {toolEvents(failure), 0},
		"an error after a task":   {toolEvents(agentResult(v.task), failure), 5},
		"a stream without errors": {v.says("", "hello"), 5},
	} {
		t.Run(name, func(t *testing.T) {
			g := openAgent(t, newFake(t, says(c.reply)).url, setup{}, func(a *agents.Agent) { a.Price = 5 })
			a := g.toAgent("dev", agentBody(v.stream, "hello"))
			require.NotEmpty(t, a.body)
			require.Eventually(t, func() bool { return g.usage().Records == 1 }, generous, time.Millisecond)
			assert.Equal(t, c.want, g.usage().Cost)
		})
	}
}
