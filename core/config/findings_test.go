package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/config"
)

func TestPoliciesSeeFindingsBehindAllDetectors(t *testing.T) {
	pii, policy, guard := config.Link{Stage: "pii"}, config.Link{Stage: "policy"}, config.Link{Webhook: "https://guard.example.com"}
	shadow := config.Link{Stage: "policy", Mode: config.Shadow}
	cache := config.Link{Stage: "cache"}
	for _, c := range []struct {
		name  string
		chain []config.Link
		want  bool
	}{
		{"behind", []config.Link{pii, policy, cache}, true},
		{"in front", []config.Link{policy, pii}, false},
		{"before the last", []config.Link{pii, policy, guard}, false},
		{"in front and behind", []config.Link{policy, pii, policy}, true},
		{"behind in shadow", []config.Link{policy, pii, shadow}, false},
		{"without detectors", []config.Link{policy}, true},
		{"without a policy link", []config.Link{pii}, true},
		{"in shadow only", []config.Link{shadow, pii}, false},
	} {
		assert.Equal(t, c.want, (&config.Config{Chain: c.chain}).ShowsFindingsToPolicies(), c.name)
	}
}
