package store

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExchangeIDsComeBackAsTheyWere(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{})
		ids := []string{
			"4bf92f3577b34da6a3ce929d0e0e4736", "4BF92F3577B34DA6A3CE929D0E0E4736", "4bf92f3577b34da6a3ce929d0e0e473g",
			"sixteen bytes id", "short", "", "ä", strings.Repeat("0", 32), strings.Repeat("f", 64), strings.Repeat("f", 31),
		}
		for range 3 { // more than one statement takes, and less
			for _, id := range ids {
				require.NoError(t, w.AppendUsage(ctx, &UsageRecord{ExchangeID: id, Tenant: "t"}))
			}
		}
		require.NoError(t, w.Sync(ctx))
		var got []string
		require.NoError(t, db.read.Select(&got, "SELECT exchange_id FROM usage_exchange ORDER BY id LIMIT ?", len(ids)))
		assert.Equal(t, ids, got)
		assert.Equal(t, 3*len(ids), count(t, db, "usage_exchange"))
		if !db.postgres {
			assert.Equal(t, 6, count(t, db, "usage_record WHERE length(exchange_id) = 16 AND typeof(exchange_id) = 'blob'"))
		}
	})
}

func TestUsageRecordsOfOneSeriesShareItsRow(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		one, two := openURL(t, url), openURL(t, url)
		for _, db := range []*DB{one, two, one} { // another process, and a start again
			w := newWriter(t, db, WriterOptions{})
			for i := range 40 {
				require.NoError(t, w.AppendUsage(ctx, &UsageRecord{
					ExchangeID: fmt.Sprint(i), Tenant: "t", KeyID: "k", EndUser: fmt.Sprint("u", i), Dialect: "openai",
					ModelRequested: "a", Provider: "p", Model: "m", Outcome: "done", Status: 200 + i%2, Streamed: i%4 < 2,
					Input: int64(i), Output: 1, Counted: true, Latency: time.Second,
				}))
			}
			require.NoError(t, w.Close(ctx))
		}
		assert.Equal(t, 4, count(t, one, "usage_series"))
		assert.Equal(t, 60, count(t, one, "usage_exchange WHERE status = 201 AND tenant_id = 't' AND key_id = 'k' AND provider = 'p'"))
		assert.Equal(t, 3, count(t, one, "usage_exchange WHERE end_user = 'u7' AND streamed = 0 AND input_tokens = 7 AND latency_ms = 1000"))
	})
}

// Texts that would be the same one after the other are different series.
func TestSeriesKeepTheirTextsApart(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{})
		for _, r := range []UsageRecord{
			{Tenant: "ab", KeyID: "c"},
			{Tenant: "a", KeyID: "bc"},
			{Tenant: "abc"},
			{KeyID: "abc"},
			{Tenant: strings.Repeat("x", 300)},
			{Tenant: "abc", Status: -1},
		} {
			require.NoError(t, w.AppendUsage(ctx, &r))
		}
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, 6, count(t, db, "usage_series"))
		for where, n := range map[string]int{
			"tenant_id = 'ab' AND key_id = 'c'": 1, "tenant_id = 'a' AND key_id = 'bc'": 1, "tenant_id = 'abc' AND key_id = ''": 2,
			"length(tenant_id) = 300": 1, "status = -1": 1,
		} {
			assert.Equal(t, n, count(t, db, "usage_exchange WHERE "+where), where)
		}
	})
}

func TestMoreSeriesThanAreRemembered(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Wait: time.Minute})
		for i := range 2 * (seriesKept + 100) {
			require.NoError(t, w.AppendUsage(ctx, &UsageRecord{Tenant: "t", ModelRequested: fmt.Sprint(i % (seriesKept + 100))}))
		}
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, seriesKept+100, count(t, db, "usage_series"))
		assert.Equal(t, 2, count(t, db, "usage_exchange WHERE model_requested = '4000'"))
	})
}

// A series of a batch that was undone is stored again with the batch.
func TestASeriesOfAFailedBatchIsNotTakenForStored(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		failed := make(chan struct{}, 100)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, OnError: func(error, int) {
			select {
			case failed <- struct{}{}:
			default:
			}
		}})
		refuse, allow := "CREATE TRIGGER refuse BEFORE INSERT ON usage_record BEGIN SELECT RAISE(ABORT, 'no'); END", "DROP TRIGGER refuse"
		if db.postgres {
			refuse, allow = "ALTER TABLE usage_record ADD CONSTRAINT refuse CHECK (id < 0)", "ALTER TABLE usage_record DROP CONSTRAINT refuse"
		}
		_, err := db.write.Exec(refuse)
		require.NoError(t, err)
		require.NoError(t, w.AppendUsage(ctx, &UsageRecord{ExchangeID: "x", Tenant: "t"}))
		<-failed
		if !db.postgres { // there series are stored apart from the batch
			assert.Zero(t, count(t, db, "usage_series"))
		}
		release, err := db.acquireWriter(ctx)
		require.NoError(t, err)
		_, err = db.write.Exec(allow)
		require.NoError(t, err)
		release()
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, 1, count(t, db, "usage_exchange WHERE tenant_id = 't'"))
	})
}
