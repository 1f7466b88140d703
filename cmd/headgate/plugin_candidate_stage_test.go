package main_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The stage takes 1 of 6 for each request and reports the rest. Its candidate has a separate counter, so that nothing
// is counted twice.
func TestACandidateThatKeepsStateIsTriedWithItsOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	module := fromRoot(t, "wasm/testdata/stage.wasm")
	s.copy("plugins/stage.wasm", module)
	s.copy("plugins/stage.wasm.yaml", []byte(scriptedManifest))
	text := configText("", "  - {wasm: stage.wasm, name: scripted, timeout: 5s, config: {settings: {script: \"1 t 1 k 1 6 3600000;1 o;\"}}}\n")
	s.write("gateway.yaml", []byte(strings.Replace(text, "trust: open", "trust: open, candidate: {min_calls: 6}", 1)))
	g := s.serve("--config", "gateway.yaml")
	next := build(module, "next")
	s.write("plugins/stage.wasm", next)
	g.awaitTrial("stage.wasm")
	left := func() string { return g.client(testKey).chat(t, "mock-echo", "hello").header.Get("X-Out") }
	for n := 5; n >= 3; n-- {
		k := g.plugin("stage.wasm").Candidate
		if assert.NotNil(t, k, "after %d calls", 5-n) {
			assert.Empty(t, k.Diverged)
			assert.Empty(t, k.Faults)
		}
		assert.Equal(t, fmt.Sprintf("1/%d/0", n), left())
	}
	g.awaitModule("stage.wasm", digest(next))
	assert.Equal(t, "1/2/0", left(), "once it serves, it continues the count of the previous version")
}
