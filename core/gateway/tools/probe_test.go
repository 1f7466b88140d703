package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// broken panics when it is asked for its era.
type broken struct{ tools.Upstream }

func (broken) Probe(context.Context) (mcp.Era, error) { panic("no era") }

func TestAPanicOverTheEraOfAServerIsAnErrorAndDoesNotEndTheProcess(t *testing.T) {
	s := &tools.Server{Name: "peer", Upstream: broken{}}
	_, err := s.DetectModern(t.Context())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "no era")
}
