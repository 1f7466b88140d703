package node

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/stages"
)

func TestACompiledInLinkHasTheCPUTimeOfItsSettings(t *testing.T) {
	cfg := &config.Config{Chain: []config.Link{
		{Stage: "guardrail", Name: "a"},
		{Stage: "guardrail", Name: "b", Limits: config.Limits{CPU: 70 * time.Millisecond}},
	}}
	c, err := buildChain(context.Background(), cfg, nil, stages.Host{}, nil, nil)
	require.NoError(t, err)
	links := c.Links()
	assert.Equal(t, defaultCPU, links[0].CPU)
	assert.Equal(t, 70*time.Millisecond, links[1].CPU)
}
