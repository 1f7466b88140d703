package conflict

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func TestAKeyThatIsNamedByItsNameIsReported(t *testing.T) {
	for keys, want := range map[string]bool{
		"[k3vqx7mz2hj4n6ta]": false, `["*"]`: false, `["k3v*"]`: false, "[ci-bot]": true, "[k3vqx7mz2hj4n6ta, dev]": true, `["dev-*"]`: true,
	} {
		got := find(t, `- {name: p, rules: [{id: a, conditions: {key.in: `+keys+`, model.in: [m]}, action: DENY}]}`)
		if !want {
			assert.Empty(t, got, keys)
			continue
		}
		require.Len(t, got, 1, keys)
		assert.Equal(t, KeyByName, got[0].Code)
		assert.Equal(t, policydoc.IssueWarning, got[0].Level)
		assert.Contains(t, got[0].Text, "headgate keys list")
	}
}
