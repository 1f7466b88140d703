package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheRulesForWebhooksTellOfAProcessInItsOwnWords(t *testing.T) {
	const head = "providers: {mock: {}}\nchain:\n"
	_, _, err := load(head+"  - {"+proc+"}\n  - stage: pii\n", withEnv())
	require.Error(t, err)
	assert.Contains(t, err.Error(), "WEBHOOK_BEFORE_PII")
	assert.Contains(t, err.Error(), "the process comes before pii")
	assert.NotContains(t, err.Error(), "receiver")

	_, warnings, err := load(head+"  - {"+proc+"}\n", withEnv())
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0].String(), "WEBHOOK_WITHOUT_PII")
	assert.NotContains(t, warnings[0].String(), "receiver")
}

func TestAProcessHasTheNameOfItsFile(t *testing.T) {
	cfg, _, err := load(
		"providers: {mock: {}}\nplugins: {trust: open}\nchain: [{stage: pii}, {process: guards/word-guard.js}, {process: other, name: mine}, {process: third}]\n",
		withEnv(),
	)
	require.NoError(t, err)
	assert.Equal(t, "word-guard", cfg.Chain[1].Name)
	assert.Equal(t, "mine", cfg.Chain[2].Name)
	assert.Equal(t, "third", cfg.Chain[3].Name)
	assert.Equal(t, "process", cfg.Chain[1].Kind())
}
