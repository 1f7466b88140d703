package store

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// Several administrators on several nodes change the same records.
func TestNoChangeIsLostToAnotherOne(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		nodes := []*DB{openURL(t, url), openURL(t, url)}
		require.NoError(t, nodes[0].Tenants().Insert(ctx, Tenant{ID: "t", Status: "active", Metadata: map[string]any{"n": 0.0}}))
		require.NoError(t, nodes[0].BatchJobs().Insert(ctx, &BatchJob{ID: "j", Tenant: "t"}))
		start := version(t, nodes[0])
		const each = 25
		var wg sync.WaitGroup
		for i := range 4 {
			db := nodes[i%2]
			wg.Go(func() {
				for n := range each {
					_, err := db.Tenants().Change(ctx, "t", func(t *Tenant) error {
						t.Metadata["n"] = t.Metadata["n"].(float64) + 1
						return nil
					})
					assert.NoError(t, err)
					_, err = db.BatchJobs().Change(ctx, "j", func(j *BatchJob) ([]*BatchFile, bool) {
						j.Total++
						return nil, true
					})
					assert.NoError(t, err)
					assert.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: fmt.Sprint(i, " ", n), Status: "active"}))
				}
			})
		}
		seen, at := 0, start
		ended := make(chan struct{})
		go func() { wg.Wait(); close(ended) }()
		for last := false; !last; { // a node that follows the changes misses none
			select {
			case <-ended:
				last = true
			default:
			}
			list, complete, err := nodes[1].Config().ListChanges(ctx, at)
			require.NoError(t, err)
			require.True(t, complete)
			for _, c := range list {
				require.Equal(t, at+1, c.Version)
				at, seen = c.Version, seen+1
			}
		}
		assert.Equal(t, 2*4*each, seen)
		tenant, err := nodes[0].Tenants().Get(ctx, "t")
		require.NoError(t, err)
		assert.InDelta(t, 4*each, tenant.Metadata["n"], 0)
		job, err := nodes[0].BatchJobs().Get(ctx, "t", "j")
		require.NoError(t, err)
		assert.EqualValues(t, 4*each, job.Total)
	})
}

func TestNodesThatMeetTheSameValuesDoNotStopEachOther(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		const each = 600
		var wg sync.WaitGroup
		for node := range 3 {
			w := newWriter(t, openURL(t, url), WriterOptions{FlushRecords: 50, OnError: func(err error, _ int) {
				assert.NoError(t, err, "writers wait for each other and do not fail")
			}})
			require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
			require.NoError(t, w.Sync(ctx)) // of two that both begin a chain one would try again
			wg.Go(func() {
				for n := range each { // each node in another order
					appendTraffic(t, w, "t", 1+(n*[]int{1, 7, each - 1}[node])%each)
				}
				assert.NoError(t, w.Sync(ctx))
			})
		}
		wg.Wait()
		db := openURL(t, url)
		assert.Equal(t, 3*each, count(t, db, "usage_record"))
		assert.Equal(t, 7, count(t, db, "usage_series"))
		assert.Equal(t, 100, count(t, db, "vault_token"))
		assert.Equal(t, 3*each+3, records(t, db))
	})
}

func TestServersThatCouldLoseRecordsAreRefused(t *testing.T) {
	ctx := context.Background()
	address := pgtest.CreateSharedDatabase(t)
	db := openURL(t, address)
	u, err := url.Parse(address)
	require.NoError(t, err)
	name := strings.Trim(u.Path, "/")
	_, err = db.write.Exec("ALTER DATABASE " + name + " SET synchronous_commit = off")
	require.NoError(t, err)
	_, err = Open(ctx, address)
	require.ErrorContains(t, err, "synchronous_commit is off")

	_, err = db.write.Exec("CREATE DATABASE old_letters ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
	require.NoError(t, err)
	defer func() {
		_, err = db.write.Exec("DROP DATABASE old_letters WITH (FORCE)")
		assert.NoError(t, err)
	}()
	u.Path = "/old_letters"
	_, err = Open(ctx, u.String())
	require.ErrorContains(t, err, "ENCODING 'UTF8'")

	u.Host, u.User = "127.0.0.1:1", url.UserPassword("somebody", "hunter2")
	_, err = Open(ctx, u.String())
	require.ErrorIs(t, err, ErrUnavailable)
	assert.NotContains(t, err.Error(), "hunter2")
	_, err = Open(ctx, "postgres://somebody:hunter2@host:port/x")
	require.ErrorContains(t, err, "cannot be read")
	assert.NotContains(t, err.Error(), "hunter2")
}
