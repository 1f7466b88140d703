package webhook

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
)

// settingsOf reads a link's config block from a configuration.
func settingsOf(t *testing.T, block string) (Settings, error) {
	t.Helper()
	text := "providers: {mock: {}}\nchain:\n  - {webhook: \"https://guard.example.com\", secret: 0123456789abcdef, allow_raw: true" + block + "}\n"
	cfg, _, err := config.Load(config.Source{Default: []byte(text), Name: "gateway.yaml"})
	require.NoError(t, err)
	return ReadSettings(cfg.Chain[0].Config)
}

func TestSettingsAreReadWithTheirDefaultsAndBounds(t *testing.T) {
	for block, want := range map[string]Settings{
		"":             {Window: 400, Overlap: 100},
		", config: {}": {Window: 400, Overlap: 100},
		", config: {window: 1000, overlap: 0, ca_file: a.pem}": {Window: 1000, CAFile: "a.pem"},
	} {
		got, err := settingsOf(t, block)
		require.NoError(t, err, block)
		assert.Equal(t, want, got, block)
	}
	for block, why := range map[string]string{
		", config: {window: 49}":                "gateway.yaml:3:",
		", config: {window: 4001}":              "gateway.yaml:3:",
		", config: {windows: 400}":              "windows",
		", config: {window: 400, overlap: 201}": "write at most 200",
	} {
		_, err := settingsOf(t, block)
		require.ErrorContains(t, err, why, block)
	}
	s, err := ReadSettings(nil)
	require.NoError(t, err)
	assert.Equal(t, Settings{Window: 400, Overlap: 100}, s)
}

func TestTheChainExampleMakesALink(t *testing.T) {
	const file = "../../configs/chains/webhook.yaml"
	cfg, warnings, err := config.Load(config.Source{Path: file, Environ: append(os.Environ(), "GUARD_SECRET="+secret)})
	require.NoError(t, err)
	assert.Empty(t, warnings)
	l := cfg.Chain[1]
	s, err := ReadSettings(l.Config)
	require.NoError(t, err)
	_, err = New(
		Options{
			Link:         l.Name,
			URL:          l.Webhook,
			Secret:       l.Secret.Reveal(),
			AllowPrivate: l.AllowPrivate,
			Timeout:      l.Timeout,
			Calls:        l.Limits.Instances,
			Settings:     s,
		},
	)
	require.NoError(t, err)
}
