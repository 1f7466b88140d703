package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAKeyThatOnlyAnotherTypeReadsIsRefused(t *testing.T) {
	for _, c := range []struct{ key, typ string }{
		{"access_key_id: AKID", "bedrock"},
		{"secret_access_key: hunter2", "bedrock"},
		{"session_token: hunter2", "bedrock"},
		{"api_version: 2024-10-21", "azure-openai"},
		{"responses_api_version: preview", "azure-openai"},
		{"entra: {identity: managed_identity}", "azure-openai"},
		{"project: my-project", "vertex"},
		{"credentials_file: hunter2", "vertex"},
	} {
		_, _, err := load("providers: {openai: {" + c.key + "}}")
		require.ErrorContains(t, err, "is read by the type "+c.typ+" alone; remove it", c.key)
		assert.NotContains(t, err.Error(), "hunter2")
		_, _, err = load("providers: {mine: {type: " + c.typ + ", " + c.key + "}}")
		require.NoError(t, err, c.key)
	}
	for typ, fine := range map[string]bool{"openai": false, "bedrock": true, "vertex": true} {
		_, _, err := load("providers: {mine: {type: " + typ + ", region: europe-west4}}")
		if fine {
			require.NoError(t, err, typ)
			continue
		}
		require.ErrorContains(t, err, "is read by the types bedrock and vertex alone; remove it")
	}
	_, _, err := load("providers: {mine: {type: azure-openai, entra: {client_secret: hunter2}}}")
	require.ErrorContains(t, err, "entra.identity: is missing; write client_secret, workload_identity or managed_identity")
	_, _, err = load("providers: {mine: {type: azure-openai, entra: {identity: me}}}")
	require.ErrorContains(t, err, "managed_identity")
	for typ, fine := range map[string]bool{"openai": true, "azure-openai": true, "bedrock": false} {
		_, _, err := load("providers: {mine: {type: " + typ + ", no_store: true}}")
		if fine {
			require.NoError(t, err, typ)
			continue
		}
		require.ErrorContains(t, err, "is read by the types openai and azure-openai alone; remove it")
	}
}
