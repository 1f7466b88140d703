package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/stages"
)

const routingManifest = `name: routing
kind: stage
phases: [request, target]
capabilities: [state, redact, patch, notify, call, restore]
reads: {fields: [model], text: [user]}
`

func TestAModuleThatMayAskForARegionNeedsALinkOfTheTarget(t *testing.T) {
	root, err := guests.Root()
	require.NoError(t, err)
	module, err := os.ReadFile(filepath.Join(root, "wasm", "testdata", "stage.wasm"))
	require.NoError(t, err)
	modules := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(modules, "routing.wasm"), module, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(modules, "routing.wasm.yaml"), []byte(routingManifest), 0o600))
	dir, err := plugins.Open(plugins.Options{Dir: modules, Trust: plugins.TrustOpen, CacheDir: guests.CompilationFolder(t)})
	require.NoError(t, err)
	defer func() { assert.NoError(t, dir.Close()) }()
	with := stages.Host{State: state.NewMemory(state.Options{})}
	early := []config.Phase{config.PhaseRequest}

	named := &config.Config{Chain: []config.Link{{Wasm: "routing.wasm", Name: "eu-only", Phases: early}}}
	_, err = buildChain(t.Context(), named, &folder{Dir: dir}, with, nil, nil)
	require.ErrorContains(t, err, `chain link "eu-only": plugin "routing.wasm"`)
	require.ErrorContains(t, err, "add target, or omit `phases`")

	every := &config.Config{Chain: []config.Link{{Plugins: "*", Name: "folder", Phases: early}}}
	c, err := buildChain(t.Context(), every, &folder{Dir: dir}, with, nil, nil)
	require.NoError(t, err, "a file that is dropped in makes no chain invalid")
	assert.Empty(t, c.Links())
	require.Len(t, dir.Problems(), 1)
	assert.Contains(t, dir.Problems()[0].Reason, "add target, or omit `phases`")
	require.NoError(t, c.Close(t.Context()))

	every.Chain[0].Phases = nil
	c, err = buildChain(t.Context(), every, &folder{Dir: dir}, with, nil, nil)
	require.NoError(t, err)
	assert.Len(t, c.Links(), 1)
	assert.Empty(t, dir.Problems())
	require.NoError(t, c.Close(t.Context()))
}
