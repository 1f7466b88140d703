package node

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/sdk/samples"
	"github.com/headgate-dev/headgate/stages"
)

func TestAFolderOfMoreModulesThanTheChainHasRoomForFillsTheChainAndReportsTheRest(t *testing.T) {
	modules := t.TempDir()
	for i := range 66 {
		require.NoError(t, os.WriteFile(filepath.Join(modules, fmt.Sprintf("module-%02d.wasm", i)), samples.EmployeeID, 0o600))
	}
	dir, err := plugins.Open(plugins.Options{Dir: modules, Trust: plugins.TrustOpen, CacheDir: guests.CompilationFolder(t)})
	require.NoError(t, err)
	defer func() { assert.NoError(t, dir.Close()) }()
	cfg := &config.Config{Chain: []config.Link{
		{Stage: "guardrail", Name: "first"}, {Plugins: "*", Name: "folder"}, {Stage: "guardrail", Name: "last"},
	}}
	for range 2 { // a reload must not be refused either
		c, err := buildChain(t.Context(), cfg, &folder{Dir: dir}, stages.Host{}, nil, nil)
		require.NoError(t, err)
		var want, got []string
		for i := range 62 {
			want = append(want, fmt.Sprintf("module-%02d", i))
		}
		for _, l := range c.Links() {
			got = append(got, l.Name)
		}
		assert.Len(t, got, chain.MaxLinks)
		assert.Equal(t, append(append([]string{"first"}, want...), "last"), got)
		placed, unplaced := 0, []string(nil)
		for _, s := range dir.Status() {
			if s.State == plugins.StateUnplaced {
				unplaced = append(unplaced, s.File)
				assert.Contains(t, s.Reason, "a chain has at most 64 links")
			} else {
				placed++
				assert.Equal(t, plugins.StateLive, s.State, s.File)
			}
		}
		assert.Equal(t, 62, placed)
		assert.Equal(t, []string{"module-62.wasm", "module-63.wasm", "module-64.wasm", "module-65.wasm"}, unplaced)
		assert.Len(t, dir.Problems(), 4)
		require.NoError(t, c.Close(t.Context()))
	}
}
