package config

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// loadWebhook loads a chain with a webhook, for which more is written.
func loadWebhook(more string, change ...func(*Source)) (*Config, []Warning, error) {
	const head = "providers: {mock: {}}\nchain:\n  - stage: pii\n  - {webhook: \"https://guard.example.com/?hunter2\", secret: \"${PASSWORD}-0123456789\""
	return load(head+more+"}\n", change...)
}

func TestFailModeIsTheFaultRuleByItsOtherName(t *testing.T) {
	for written, want := range map[string]OnFault{
		"": FaultBlock, ", fail_mode: CLOSED": FaultBlock, ", fail_mode: OPEN": FaultPass, ", on_fault: pass": FaultPass,
	} {
		cfg, warnings, err := loadWebhook(written)
		require.NoError(t, err, written)
		assert.Empty(t, warnings, written)
		assert.Equal(t, want, cfg.Chain[1].OnFault, written)
	}
}

func TestAWebhookIsReachedByItsNameFromOutside(t *testing.T) {
	cfg, _, err := loadWebhook("", withSet("chain.webhook.timeout=9s"))
	require.NoError(t, err)
	assert.Equal(t, 9*time.Second, cfg.Chain[1].Timeout)
	cfg, _, err = loadWebhook(", name: guard", withEnv("PASSWORD=hunter2", "HEADGATE_CHAIN_GUARD_SECRET=another one of 16"))
	require.NoError(t, err)
	assert.Equal(t, "another one of 16", cfg.Chain[1].Secret.Reveal())
}

func TestSecretsOfAWebhookAreNotPrinted(t *testing.T) {
	cfg, _, err := loadWebhook("")
	require.NoError(t, err)
	l := cfg.Chain[1]
	assert.Equal(t, "hunter2-0123456789", l.Secret.Reveal())
	l.Webhook = ""
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		assert.NotContains(t, fmt.Sprintf(verb, l), "hunter2")
	}
}
