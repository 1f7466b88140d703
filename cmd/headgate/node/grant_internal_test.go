package node

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func TestTheConfigurationGrantsWhatTheABIHas(t *testing.T) {
	assert.Equal(t, abi.FieldNames(), config.GrantField("").Values())
	var sources []string
	for s := abi.SourceSystem; s <= abi.SourceOther; s++ {
		sources = append(sources, s.String())
	}
	assert.Equal(t, sources, config.GrantText("").Values())
	assert.Equal(
		t,
		[]string{
			abi.CapabilityNow, abi.CapabilityRandom, abi.CapabilityState, abi.CapabilityRedact, abi.CapabilityPatch,
			abi.CapabilityNotify, abi.CapabilityCall, abi.CapabilityRestore, abi.CapabilityBody,
		},
		config.GrantCapability("").Values(),
	)
}
