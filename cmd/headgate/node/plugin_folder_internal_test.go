package node

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
)

func TestDecisionsThatComeAtOnceAreAllKept(t *testing.T) {
	dir := t.TempDir()
	f := pluginFolder{&gateway{cfg: &config.Config{Plugins: config.Plugins{Dir: dir}}, note: func(string) {}}}
	var all sync.WaitGroup
	for i := range 16 {
		file, module := fmt.Sprintf("p%d.wasm", i), fmt.Appendf(nil, "module %d", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), module, 0o600))
		all.Go(func() {
			there, err := f.Decide(t.Context(), file, plugins.DigestBytes(module), true)
			assert.NoError(t, err)
			assert.True(t, there)
		})
	}
	all.Wait()
	list, err := plugins.ReadDecisions(dir)
	require.NoError(t, err)
	assert.Len(t, list, 16)
}
