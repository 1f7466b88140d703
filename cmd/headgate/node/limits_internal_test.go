package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/wasm"
)

func TestALinksLimitsAreThoseOfItsModule(t *testing.T) {
	l := &config.Link{
		Timeout: time.Second, Isolate: config.IsolateCall,
		Limits: config.Limits{Memory: 1 << 20, Instances: 3, Streams: 4, Fuel: 1 << 30},
	}
	assert.Equal(t, wasm.Limits{
		Memory: 1 << 20, Instances: 3, Streams: 4, Timeout: time.Second, Fuel: 1 << 30, Isolate: wasm.IsolateCall,
	}, convertLimits(l))
	assert.Equal(t, wasm.Limits{Isolate: wasm.IsolateTenant}, convertLimits(&config.Link{}), "tenants are kept apart by default")
	assert.Equal(t, wasm.Limits{}, convertLimits(&config.Link{Isolate: config.IsolateNone}))
	for _, word := range config.Isolate("").Values() {
		_, err := wasm.ParseIsolation(word)
		assert.NoError(t, err, "the host knows every setting that the configuration accepts")
	}
}
