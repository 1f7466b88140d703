package core

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Who writes a provider's prefix does not get around what is meant for a model.
func TestAModelIsKnownWithAndWithoutItsPrefix(t *testing.T) {
	x := Exchange{Principal: &Principal{}, Head: Head{Model: "openai/gpt-4o"}, Bare: "gpt-4o"}
	for pattern, want := range map[string]bool{"gpt-4o": true, "gpt-*": true, "openai/*": true, "o": false, "claude-*": false} {
		assert.Equal(t, want, (&Filter{Models: []string{pattern}}).Matches(&x), "filter %s", pattern)
		assert.Equal(t, want, (&Budget{Model: pattern}).Fits(&x), "budget %s", pattern)
	}
	x.Target.Model = "deployment-7"
	assert.True(t, (&Budget{Model: "deployment-*"}).Fits(&x), "records of what was used are searched by the provider's name too")
}
