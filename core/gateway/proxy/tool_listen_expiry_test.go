package proxy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

func TestAStreamEndsWhenItsKeyExpires(t *testing.T) {
	peer := newChangingPeer(t, true)
	g := open(t, withPeer(t, peer.url, setup{}, modern))
	g.proxy.SetListenCheck(5 * time.Millisecond)
	now := g.proxy.Snapshots.Acquire()
	key := auth.Key{ID: "id-dev", Tenant: "tenant-a", Hash: auth.Hash(g.key["dev"]), ExpiresAt: time.Now().Add(2 * time.Second)}
	g.proxy.Snapshots.Swap(snapshot.New(now.Runtime, auth.NewKeys([]auth.Tenant{{ID: "tenant-a"}}, []auth.Key{key}), 2))
	now.Release()
	res, lines := g.openStream(t, "/mcp/peer", "dev", `{"toolsListChanged":true}`)
	require.Equal(t, 200, res.StatusCode)
	assert.Contains(t, nextData(lines), `"resultType":"complete"`)
	assert.False(t, time.Now().Before(key.ExpiresAt), "not before it expires")
}
