package core_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
)

func TestAModelIsKnownByEachOfItsNames(t *testing.T) {
	for _, c := range []struct {
		pattern, model, bare, routed string
		want                         bool
	}{
		{"gpt-*", "gpt-4o", "gpt-4o", "", true},
		{"gpt-*", "openai/gpt-4o", "gpt-4o", "", true},
		{"openai/*", "openai/gpt-4o", "gpt-4o", "", true},
		{"claude-*", "gpt-4o", "gpt-4o", "claude-x", true},
		{"claude-*", "gpt-4o", "gpt-4o", "", false},
		{"azure-openai/*", "azure/gpt-4o", "gpt-4o", "", true},
		{"azure/*", "azure-openai/gpt-4o", "gpt-4o", "", true},
		{"azure/*", "azure/gpt-4o", "gpt-4o", "", true},
		{"azure-openai/*", "gpt-4o", "gpt-4o", "azure/gpt-4o", true},
		{"azure/*", "azurecloud/gpt-4o", "", "", false},
		{"openai/*", "azure/gpt-4o", "gpt-4o", "", false},
	} {
		x := &core.Exchange{Head: core.Head{Model: c.model}, BareModel: c.bare}
		if c.routed != "" {
			x.OverrideModel(c.routed)
		}
		assert.Equal(t, c.want, x.Names(c.pattern), "%+v", c)
	}
}
