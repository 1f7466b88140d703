package audit

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestAChainThatIsHandedOverIsVerifiedOnArrival(t *testing.T) {
	ctx := context.Background()
	open := func(name string) *store.DB {
		db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), name))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close(ctx)) })
		return db
	}
	node, central := open("node.db"), open("central.db")
	w := store.NewWriter(node, store.WriterOptions{})
	log, _, err := Open(ctx, node, w, testKey, WithNode("edge"))
	require.NoError(t, err)
	add := func(n int) {
		for range n {
			require.NoError(t, log.Append(ctx, Event{Tenant: "t", Type: GatewayRequest, Payload: []byte(`{"n":1}`)}))
			require.NoError(t, log.Sync(ctx))
		}
	}
	add(3)
	first, err := node.Audit().ReadAfter(ctx, "edge", 0)
	require.NoError(t, err)
	require.NotNil(t, first)
	add(2)
	seq := first.Segments[len(first.Segments)-1].Last
	second, err := node.Audit().ReadAfter(ctx, "edge", seq)
	require.NoError(t, err)

	at := func() int64 {
		h, err := central.Audit().GetHead(ctx, "edge")
		require.NoError(t, err)
		if h == nil {
			return 0
		}
		return h.Seq
	}
	require.ErrorContains(t, ImportRun(ctx, central, testKey, "edge", second), "missing", "what does not follow is refused")
	require.Error(t, ImportRun(ctx, central, testKey, "other", first), "another node's chain is not this one's")
	require.Error(t, ImportRun(ctx, central, []byte("another key of thirty-two bytes!"), "edge", first))
	changed := *first
	changed.Segments = append([]store.RunSegment(nil), first.Segments...)
	last := &changed.Segments[len(changed.Segments)-1]
	last.Data = append([]byte(nil), last.Data...)
	last.Data[len(last.Data)-store.TagSize-2] ^= 1
	require.Error(t, ImportRun(ctx, central, testKey, "edge", &changed))
	assert.Zero(t, at(), "nothing of it was stored")

	for range 2 { // a run that comes twice does no harm
		require.NoError(t, ImportRun(ctx, central, testKey, "edge", first))
		assert.Equal(t, seq, at())
	}
	require.NoError(t, ImportRun(ctx, central, testKey, "edge", second))
	require.NoError(t, ImportRun(ctx, central, testKey, "edge", first))
	rep, err := VerifyChain(ctx, central, testKey, "edge")
	require.NoError(t, err)
	assert.True(t, rep.Valid(), "%v", rep.Broken)
	assert.Equal(t, int64(5), rep.ByType[GatewayRequest])
	n, err := central.Usage().CountGoverned(ctx, rep.LastTime)
	require.NoError(t, err)
	assert.Equal(t, int64(5), n)
	require.NoError(t, log.Close(ctx))
	require.NoError(t, w.Close(ctx))
}
