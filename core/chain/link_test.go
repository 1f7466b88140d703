package chain

import (
	"testing"

	"github.com/headgate-dev/headgate/core"

	_ "time/tzdata"

	"github.com/stretchr/testify/assert"
)

// A provider's prefix in the model's name does not bypass the links for that model.
func TestAModelIsKnownWithAndWithoutItsPrefix(t *testing.T) {
	x := core.Exchange{Principal: &core.Principal{}, Head: core.Head{Model: "openai/gpt-4o"}, BareModel: "gpt-4o"}
	for pattern, want := range map[string]bool{"gpt-4o": true, "gpt-*": true, "openai/*": true, "o": false, "claude-*": false} {
		assert.Equal(t, want, (&Filter{Models: []string{pattern}}).Matches(&x), "filter %s", pattern)
	}
}

// A key that replaced another does not leave behind what was meant for that.
func TestARotatedKeyIsKnownByTheFirstOfItsLine(t *testing.T) {
	x := core.Exchange{Principal: &core.Principal{KeyID: "k2", Lineage: "k1", KeyName: "ci"}}
	for _, name := range []string{"k1", "k2", "ci"} {
		assert.True(t, (&Filter{Keys: []string{name}}).Matches(&x), name)
	}
	assert.False(t, (&Filter{Keys: []string{"k3"}}).Matches(&x))
}
