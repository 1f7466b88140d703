package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ownCard, hisCard = "4111 1111 1111 1111", "5555 5555 5555 4444"

func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct{ name, config, says string }{
		{"nothing is needed", "{}", ""},
		{"all can be set", "{types: [EMAIL], threshold: {EMAIL: 0.9}, region: DE, action: flag, response: redact, restore: tolerant}", ""},
		{"an unknown key is an error", "kind: x", "kind"},
		{"an unknown type is an error", "types: [SHOE_SIZE]", "SHOE_SIZE"},
		{"an unknown action is an error", "action: hide", `"hide"`},
		{"an unknown response is an error", "response: keep", `"keep"`},
		{"an unknown way to restore is an error", "restore: all", `"all"`},
		{"an unknown region is an error", "region: XX", "XX"},
		{"a threshold above one is an error", "threshold: {EMAIL: 2}", "EMAIL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, err := New(block(c.config), nil)
			if c.says == "" {
				require.NoError(t, err)
				assert.NotNil(t, st)
				return
			}
			require.ErrorContains(t, err, c.says)
			assert.Nil(t, st)
		})
	}
	_, err := New(nil, nil)
	assert.NoError(t, err, "a link without settings")
}
