package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// sent is an export as it arrives: through JSON.
type sent struct {
	version int64
	full    bool
	rows    []store.Row
}

func export(t *testing.T, db *store.DB, since int64) sent {
	t.Helper()
	var out sent
	var text bytes.Buffer
	v, err := db.Fleet().Export(context.Background(), since, func(full bool) error { out.full = full; return nil }, func(r *store.Row) error {
		return json.NewEncoder(&text).Encode(r)
	})
	require.NoError(t, err)
	out.version = v
	dec := json.NewDecoder(&text)
	dec.UseNumber()
	for {
		var r store.Row
		if err := dec.Decode(&r); err == io.EOF {
			return out
		}
		require.NoError(t, err)
		out.rows = append(out.rows, r)
	}
}

func (s sent) importInto(t *testing.T, db *store.DB) error {
	t.Helper()
	i := 0
	return db.Fleet().Import(context.Background(), s.version, s.full, map[string][]byte{store.CopySetting: {1}}, func() (store.Row, error) {
		if i == len(s.rows) {
			return store.Row{}, io.EOF
		}
		i++
		return s.rows[i-1], nil
	})
}

func key(id, tenant string, b byte) store.Key {
	return store.Key{
		ID:       id,
		TenantID: tenant,
		Name:     id,
		Hash:     [32]byte{b},
		Status:   store.KeyActive,
		Source:   store.SourceAPI,
		Scopes:   []string{"a"},
	}
}

func TestAReplicaHasWhatItsControlPlaneHas(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx, node := context.Background(), storetest.Open(t, storetest.CreateSQLite(t))
		same := func() {
			t.Helper()
			for _, list := range []func(*store.DB) (any, error){
				func(db *store.DB) (any, error) { return db.Tenants().List(ctx) },
				func(db *store.DB) (any, error) { return db.Keys().List(ctx) },
				func(db *store.DB) (any, error) { return db.Policies().List(ctx) },
				func(db *store.DB) (any, error) { return db.Routes().List(ctx) },
				func(db *store.DB) (any, error) { return db.Config().ReadVersion(ctx) },
			} {
				want, err := list(db)
				require.NoError(t, err)
				got, err := list(node)
				require.NoError(t, err)
				assert.Equal(t, want, got)
			}
		}
		require.NoError(t, db.Tenants().Insert(ctx, store.Tenant{ID: "a", Name: "A", Status: "active", Metadata: map[string]any{"n": "x"}}))
		require.NoError(t, db.Tenants().Insert(ctx, store.Tenant{ID: "b", Name: "B", Status: "active"}))
		require.NoError(t, db.Keys().Insert(ctx, key("k1", "a", 1)))
		_, err := db.Policies().Insert(ctx, policydoc.Record{ID: "p", Name: "p", DSL: "x", Status: policydoc.Draft})
		require.NoError(t, err)
		first := export(t, db, 0)
		require.True(t, first.full || len(first.rows) > 0)
		require.NoError(t, first.importInto(t, node))
		same()
		at := first.version

		require.NoError(t, db.Keys().Insert(ctx, key("k2", "b", 2)))
		require.NoError(t, db.Keys().Revoke(ctx, "k1"))
		_, err = db.Routes().Insert(
			ctx,
			store.Route{ID: "r", ModelPattern: "m*", Strategy: "model-prefix", Targets: []store.RouteTarget{{Provider: "mock"}}},
		)
		require.NoError(t, err)
		step := export(t, db, at)
		assert.False(t, step.full)
		require.Len(t, step.rows, 3, "what did not change does not travel")
		require.NoError(t, step.importInto(t, node))
		same()
		changes, complete, err := node.Config().ListChanges(ctx, at)
		require.NoError(t, err)
		assert.True(t, complete, "the node knows what changed")
		assert.Len(t, changes, 3)
		require.NoError(t, step.importInto(t, node), "a step that comes twice does no harm")
		same()

		require.NoError(t, db.Tenants().Delete(ctx, "b", nil))
		require.NoError(t, export(t, db, step.version).importInto(t, node))
		same()
		require.ErrorIs(t, first.importInto(t, node), store.ErrOlder, "it never goes back")
		same()

		require.ErrorIs(t, node.Keys().Insert(ctx, key("k9", "a", 9)), store.ErrReplica)
		_, err = node.Usage().RebuildSums(ctx)
		require.ErrorIs(t, err, store.ErrReplica)
		_, err = node.Usage().Trim(ctx, time.Now())
		require.ErrorIs(t, err, store.ErrReplica)
		same()

		// After a step that does not say what it is about, everything travels, and what is gone goes.
		require.NoError(t, db.Tenants().Delete(ctx, "a", nil))
		require.NoError(t, db.Config().AdvanceBeyond(ctx, 1000))
		whole := export(t, db, step.version)
		assert.True(t, whole.full)
		assert.Greater(t, whole.version, int64(1000))
		require.NoError(t, whole.importInto(t, node))
		same()
		_, complete, err = node.Config().ListChanges(ctx, step.version)
		require.NoError(t, err)
		assert.False(t, complete)
	})
}

// A node that was away for a while meets a name or a hash at another record than before.
func TestAReplicaTakesUpWhatHasChangedHands(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		hook := func(id, name string) {
			_, err := db.Webhooks().Insert(
				ctx,
				store.Webhook{ID: id, Tenant: "a", Name: name, URL: "https://example.com", Secrets: store.Secrets{Secret: []byte("s")}},
			)
			require.NoError(t, err)
		}
		rename := func(id, name string) {
			_, err := db.Webhooks().Change(ctx, id, func(w *store.Webhook) error { w.Name = name; return nil })
			require.NoError(t, err)
		}
		guard := func(id string) {
			_, err := db.GuardrailPlugins().Insert(
				ctx,
				store.GuardrailPlugin{ID: id, Name: "judge", URL: "https://example.com", Secrets: store.Secrets{Secret: []byte("s")}},
			)
			require.NoError(t, err)
		}
		require.NoError(t, db.Tenants().Insert(ctx, store.Tenant{ID: "a", Name: "A", Status: "active"}))
		require.NoError(t, db.Keys().Insert(ctx, key("k1", "a", 1)))
		hook("w1", "one")
		hook("w2", "two")
		guard("g1")
		step, whole := storetest.Open(t, storetest.CreateSQLite(t)), storetest.Open(t, storetest.CreateSQLite(t))
		first := export(t, db, 0)
		require.NoError(t, first.importInto(t, step))
		require.NoError(t, first.importInto(t, whole))

		require.NoError(t, db.Keys().Delete(ctx, "k1", nil))
		require.NoError(t, db.Keys().Insert(ctx, key("k2", "a", 1)))
		_, err := db.GuardrailPlugins().Delete(ctx, "g1", func(store.GuardrailPlugin) error { return nil })
		require.NoError(t, err)
		guard("g2")
		rename("w1", "three")
		rename("w2", "one")
		rename("w1", "two")
		after := export(t, db, first.version)
		require.False(t, after.full)
		require.NoError(t, after.importInto(t, step))
		after = export(t, db, 0)
		require.True(t, after.full)
		require.NoError(t, after.importInto(t, whole))
		for _, node := range []*store.DB{step, whole} {
			keys, err := node.Keys().List(ctx)
			require.NoError(t, err)
			require.Len(t, keys, 1)
			assert.Equal(t, "k2", keys[0].ID)
			for id, name := range map[string]string{"w1": "two", "w2": "one"} {
				w, err := node.Webhooks().Get(ctx, id)
				require.NoError(t, err)
				assert.Equal(t, name, w.Name)
			}
			g, err := node.GuardrailPlugins().Get(ctx, "g2")
			require.NoError(t, err)
			assert.Equal(t, "judge", g.Name)
		}
	})
}

func TestANodesRecordsAreStoredOnceHoweverOftenTheyCome(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		node := storetest.Open(t, storetest.CreateSQLite(t))
		nw := store.NewWriter(node, store.WriterOptions{Interval: time.Millisecond})
		for i := range 5 {
			require.NoError(t, nw.AppendUsage(ctx, &store.UsageRecord{
				ExchangeID: string(rune('a' + i)), Tenant: "t", KeyID: "k", Model: "m", Provider: "p", Outcome: "done", Status: 200,
				Input: 10, Output: int64(i), Counted: true, Cost: 7, InputCost: 3, Priced: true, At: time.UnixMicro(int64(i + 1)),
			}))
		}
		require.NoError(t, nw.Close(ctx))
		list, last, err := node.Fleet().ListUsageAfter(ctx, 0, 3)
		require.NoError(t, err)
		require.Len(t, list, 3)
		w := store.NewWriter(db, store.WriterOptions{Interval: time.Millisecond})
		for range 3 {
			require.NoError(t, w.AppendNodeUsage(ctx, "edge", 0, last, list))
		}
		require.NoError(t, w.Sync(ctx))
		rest, end, err := node.Fleet().ListUsageAfter(ctx, last, 100)
		require.NoError(t, err)
		require.Len(t, rest, 2)
		require.NoError(t, w.AppendNodeUsage(ctx, "edge", 1, end, rest), "what does not follow")
		require.NoError(t, w.AppendNodeUsage(ctx, "edge", last, end, rest))
		require.NoError(t, w.AppendNodeUsage(ctx, "other", 0, end, rest), "another node's numbers are its own")
		require.NoError(t, w.AppendUsage(ctx, &store.UsageRecord{ExchangeID: "own", Tenant: "t"}))
		require.NoError(t, w.Close(ctx))
		usage, _, err := db.Fleet().GetCursors(ctx, "edge")
		require.NoError(t, err)
		assert.Equal(t, end, usage)
		totals, err := db.Usage().SumUsage(ctx, store.UsageFilter{Tenant: "t"})
		require.NoError(t, err)
		assert.Equal(t, int64(5+2+1), totals.Records)
		got, _, err := db.Fleet().ListUsageAfter(ctx, 0, 3)
		require.NoError(t, err)
		assert.Equal(t, list, got, "they come as they were")

		events := []policydoc.ShadowEvent{
			{
				Policy:     "p",
				Rule:       "r",
				Request:    "x",
				Tenant:     "t",
				Model:      "m",
				Divergence: "d",
				Diverged:   true,
				At:         time.Now().UTC().Truncate(time.Microsecond),
			},
		}
		require.NoError(t, db.Fleet().ImportShadowEvents(ctx, "edge", 0, 4, events))
		require.ErrorIs(t, db.Fleet().ImportShadowEvents(ctx, "edge", 0, 4, events), store.ErrBehind)
		back, _, err := db.Fleet().ListShadowEventsAfter(ctx, 0, 10)
		require.NoError(t, err)
		assert.Equal(t, events, back)
	})
}

func TestASpoolForgetsWhatWasHandedOverAndGivesNoNumberTwice(t *testing.T) {
	ctx := context.Background()
	db := storetest.Open(t, storetest.CreateSQLite(t))
	w := store.NewWriter(db, store.WriterOptions{Interval: time.Millisecond})
	add := func(id string) {
		require.NoError(t, w.AppendUsage(ctx, &store.UsageRecord{ExchangeID: id, Tenant: "t", At: time.UnixMicro(10)}))
		require.NoError(t, w.Sync(ctx))
	}
	for _, id := range []string{"a", "b", "c"} {
		add(id)
	}
	more, err := db.Fleet().TrimSent(ctx, 2, 0, time.UnixMicro(20))
	require.NoError(t, err)
	assert.False(t, more)
	list, last, err := db.Fleet().ListUsageAfter(ctx, 0, 10)
	require.NoError(t, err)
	require.Len(t, list, 1, "what was not handed over stays")
	assert.Equal(t, int64(3), last)
	_, err = db.Fleet().TrimSent(ctx, 3, 0, time.UnixMicro(20))
	require.NoError(t, err)
	add("d")
	list, last, err = db.Fleet().ListUsageAfter(ctx, 3, 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, int64(4), last)
	require.NoError(t, w.Close(ctx))
}

func TestAFullSpoolRefusesRecordsAndTakesThemAgainWhenThereIsRoom(t *testing.T) {
	ctx := context.Background()
	db := storetest.Open(t, storetest.CreateSQLite(t), store.WithRoom(8<<20)) // the tables themselves take more than one MiB
	w := store.NewWriter(db, store.WriterOptions{Interval: time.Millisecond, MaxRecords: 64, Wait: 10 * time.Millisecond})
	long := string(bytes.Repeat([]byte("x"), 8000))
	full := 0.0
	for n := 0; full < 0.9; n++ { // on a busy machine the queue may be full for a moment before the disk is
		require.Less(t, n, 5000)
		err := w.AppendUsage(ctx, &store.UsageRecord{ExchangeID: "e", EndUser: long, Tenant: "t", At: time.UnixMicro(1)})
		if err == nil {
			continue
		}
		require.ErrorIs(t, err, store.ErrBusy)
		full, err = db.MeasureUsedRoom(ctx)
		require.NoError(t, err)
	}
	_, last, err := db.Fleet().ListUsageAfter(ctx, 0, 1<<20)
	require.NoError(t, err)
	_, err = db.Fleet().TrimSent(ctx, last, 0, time.Now())
	require.NoError(t, err)
	require.NoError(t, w.Sync(ctx), "what waited was kept")
	require.NoError(t, w.AppendUsage(ctx, &store.UsageRecord{ExchangeID: "e", Tenant: "t"}))
	require.NoError(t, w.Close(ctx))
}
