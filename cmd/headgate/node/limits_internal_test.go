package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/wasm"
)

func TestALinksLimitsAreThoseOfItsModule(t *testing.T) {
	l := &config.Link{Timeout: time.Second, Isolate: config.IsolateTenant, Limits: config.Limits{Memory: 1 << 20, Instances: 3, Streams: 4}}
	assert.Equal(t, wasm.Limits{Memory: 1 << 20, Instances: 3, Streams: 4, Timeout: time.Second, Isolate: wasm.IsolateTenant}, limits(l))
	assert.Zero(t, limits(&config.Link{}))
	for _, word := range config.Isolate("").Values() {
		_, err := wasm.ParseIsolation(word)
		assert.NoError(t, err, "what the configuration takes the host knows")
	}
}
