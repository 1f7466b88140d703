package stages

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/cache"
)

func TestStagesAreMadeByName(t *testing.T) {
	s, err := New("cache", nil, Host{})
	require.NoError(t, err)
	assert.IsType(t, &cache.Stage{}, s)
	_, err = New("c", nil, Host{})
	require.ErrorContains(t, err, `["budget" "cache" "guardrail" "pii" "policy" "ratelimit" "schema"]`)
}
