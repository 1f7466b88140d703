package providers

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/dialect/direct"
)

func TestShapesThatAreNeverTranslatedGoWhereTheProviderServesThem(t *testing.T) {
	for typ, c := range conformance {
		p := newProvider(t, settings(typ))
		for shape := range direct.Shapes {
			x, want := exchange(shape, c.model, false), directConformance[typ][shape]
			if want == "" {
				assert.Empty(t, p.ChooseWire(x), "%s %s", typ, shape)
				continue
			}
			if assert.Equal(t, shape, p.ChooseWire(x), "%s %s", typ, shape) {
				r := request(t, p, x)
				assert.Equal(t, want, r.URL.String(), "%s %s", typ, shape)
				if direct.FindContentType(x, shape) == "" {
					assertKey(t, typ, c.key, shape, r)
				} else if typ != "mock" {
					assert.Contains(t, r.Header[0].Value, "multipart/form-data")
				}
			}
		}
	}
}

func TestOlderAddressesOfAzureHaveTheDeployment(t *testing.T) {
	s := settings("azure-openai")
	s.APIVersion = "2025-04-01-preview"
	x := exchange(speech, "my tts", false)
	r := request(t, newProvider(t, s), x)
	assert.Equal(t, "https://res.openai.azure.com/openai/deployments/my%20tts/audio/speech?api-version=2025-04-01-preview", r.URL.String())
}
