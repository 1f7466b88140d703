package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestAStoredServerServesOnWhileItsRecordIsTheSame(t *testing.T) {
	created := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	record := store.MCPServer{Name: "web", URL: "https://mcp.example.com/mcp", Enabled: true, Version: 1, CreatedAt: created}
	for _, c := range []struct {
		name   string
		change func(r *store.MCPServer)
		kept   bool
		gone   bool
	}{
		{name: "nothing has changed", kept: true},
		{name: "the time of its creation is of another zone", kept: true, change: func(r *store.MCPServer) { r.CreatedAt = created.In(time.FixedZone("", 3600)) }},
		{name: "it was changed", change: func(r *store.MCPServer) { r.Version = 2 }},
		{name: "it was deleted, and another has its name and version", change: func(r *store.MCPServer) { r.CreatedAt = created.Add(time.Millisecond) }},
		{name: "it is disabled", gone: true, change: func(r *store.MCPServer) { r.Enabled = false }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rt := &snapshot.Runtime{Servers: tools.NewSet(nil), Questions: bridge.NewMemory()}
			serve := func(r store.MCPServer) {
				s := storedServers{servers: []store.MCPServer{r}}
				s.serve(rt, &config.Config{}, func(_ string, err error) { require.NoError(t, err) })
			}
			serve(record)
			before := rt.Servers.Find("web")
			require.NotNil(t, before)
			next := record
			if c.change != nil {
				c.change(&next)
			}
			serve(next)
			after := rt.Servers.Find("web")
			assert.Equal(t, c.gone, after == nil)
			assert.Equal(t, c.kept, after == before)
		})
	}
}
