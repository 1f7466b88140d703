package node

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
)

func TestSettingsOfALinkHaveADigestOfTheirOwn(t *testing.T) {
	digest := func(chain string) string {
		cfg, _, err := config.Load(config.Source{
			Default: []byte("providers:\n  m: {type: mock}\nchain:\n" + chain), Name: "gateway.yaml",
			Known: config.Known{Providers: []string{"mock"}, Stages: []string{"guardrail", "policy"}},
		})
		require.NoError(t, err)
		out, err := digestLinks(cfg)
		require.NoError(t, err)
		return out["words"]
	}
	const link = "  - {stage: guardrail, name: words, mode: shadow, config: {detectors: [{type: keywords, words: [mate]}]}}\n"
	first := digest(link)
	for name, c := range map[string]struct {
		chain string
		same  bool
	}{
		"another place":   {"  - stage: policy\n" + link, true},
		"another mode":    {"  - {stage: guardrail, name: words, config: {detectors: [{type: keywords, words: [mate]}]}}\n", true},
		"other settings":  {"  - {stage: guardrail, name: words, config: {detectors: [{type: keywords, words: [bond]}]}}\n", false},
		"another stage":   {"  - {stage: policy, name: words}\n", false},
		"other exchanges": {"  - {stage: guardrail, name: words, for: {models: [x]}, config: {detectors: [{type: keywords, words: [mate]}]}}\n", false},
	} {
		assert.Equal(t, c.same, digest(c.chain) == first, name)
	}
}
