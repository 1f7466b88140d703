package anthropic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
)

func TestPoliciesSeeServersAndContainersThatTheRuleLetsPass(t *testing.T) {
	x := &core.Exchange{Hosted: &hosted.Found{Allowed: true}}
	x.Request.Raw = []byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"mcp_servers":[{"url":"https://m.example"}],"container":"c","tools":[{"name":"f","input_schema":{"type":"object"}}]}`)
	e := anthropic.Messages{}.Scan(x)
	require.Nil(t, e)
	assert.Equal(t, []string{"mcp_servers", "container", "f"}, x.Head.Tools)
}
