package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAKeyThatOnlyAnotherTypeReadsIsRefused(t *testing.T) {
	for _, c := range []struct{ key, typ string }{
		{"region: eu-central-1", "bedrock"},
		{"access_key_id: AKID", "bedrock"},
		{"secret_access_key: hunter2", "bedrock"},
		{"session_token: hunter2", "bedrock"},
		{"api_version: 2024-10-21", "azure-openai"},
		{"responses_api_version: preview", "azure-openai"},
	} {
		_, _, err := load("providers: {openai: {" + c.key + "}}")
		require.ErrorContains(t, err, "is read by the type "+c.typ+" alone; remove it", c.key)
		assert.NotContains(t, err.Error(), "hunter2")
		_, _, err = load("providers: {mine: {type: " + c.typ + ", " + c.key + "}}")
		require.NoError(t, err, c.key)
	}
	for typ, fine := range map[string]bool{"openai": true, "azure-openai": true, "bedrock": false} {
		_, _, err := load("providers: {mine: {type: " + typ + ", no_store: true}}")
		if fine {
			require.NoError(t, err, typ)
			continue
		}
		require.ErrorContains(t, err, "is read by the types openai and azure-openai alone; remove it")
	}
}
