package store

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBatchFilesAreListedFromAPlaceInEitherOrder(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		for i := range 5 {
			purpose := []string{"batch", "batch_output"}[i%2]
			require.NoError(t, db.BatchFiles().Insert(ctx, &BatchFile{ID: "f" + strconv.Itoa(i), Tenant: "acme", Purpose: purpose}))
		}
		require.NoError(t, db.BatchFiles().Insert(ctx, &BatchFile{ID: "x", Tenant: "other"}))
		ids := func(p BatchPage) (out []string) {
			list, err := db.BatchFiles().List(ctx, "acme", p)
			require.NoError(t, err)
			for _, f := range list {
				out = append(out, f.ID)
			}
			return out
		}
		assert.Equal(t, []string{"f4", "f3", "f2", "f1", "f0"}, ids(BatchPage{Limit: 10}))
		assert.Equal(t, []string{"f2", "f1"}, ids(BatchPage{Limit: 2, After: "f3"}))
		assert.Equal(t, []string{"f3", "f4"}, ids(BatchPage{Limit: 5, After: "f2", Oldest: true}))
		assert.Equal(t, []string{"f3", "f1"}, ids(BatchPage{Limit: 5, Purpose: "batch_output"}))
		_, err := db.BatchFiles().List(ctx, "acme", BatchPage{Limit: 5, After: "x"})
		require.ErrorIs(t, err, ErrNotFound, "another tenant's file is not a place in the list")
	})
}

func TestBatchFilesKeepTheirFieldsAndBelongToOneTenant(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		want := &BatchFile{
			ID: "f", Tenant: "acme", KeyID: "k", Provider: "openai", ProviderID: "file-1", Purpose: "batch",
			CreatedAt: time.UnixMicro(1_700_000_000_000_001).UTC(),
			BatchFileData: BatchFileData{
				Name: "in.jsonl", Bytes: 12, Lines: 2, Endpoint: "/v1/embeddings", ExpiresAt: 9,
				Models: []BatchModel{{Name: "m", Target: "t", Line: 2}},
			},
		}
		require.NoError(t, db.BatchFiles().Insert(ctx, want))
		require.ErrorIs(t, db.BatchFiles().Insert(ctx, want), ErrExists)
		got, err := db.BatchFiles().Get(ctx, "acme", "f")
		require.NoError(t, err)
		assert.Equal(t, want, got)
		require.NoError(t, db.BatchFiles().SetBytes(ctx, "f", 99))
		got, err = db.BatchFiles().Get(ctx, "acme", "f")
		require.NoError(t, err)
		assert.Equal(t, int64(99), got.Bytes)
		assert.Equal(t, want.Models, got.Models)

		_, err = db.BatchFiles().Get(ctx, "other", "f")
		require.ErrorIs(t, err, ErrNotFound)
		require.ErrorIs(t, db.BatchFiles().Delete(ctx, "other", "f"), ErrNotFound)
		require.NoError(t, db.BatchFiles().Delete(ctx, "acme", "f"))
		require.ErrorIs(t, db.BatchFiles().Delete(ctx, "acme", "f"), ErrNotFound)
	})
}

func TestBatchJobsSurviveARestartAndAreChangedInOneStep(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		before := version(t, db)
		made := time.UnixMicro(1_700_000_000_000_001).UTC()
		want := &BatchJob{
			ID: "b", Tenant: "acme", KeyID: "k", Provider: "openai", ProviderID: "batch_1", Status: "validating", CreatedAt: made,
			BatchJobData: BatchJobData{Endpoint: "/v1/embeddings", Window: "24h", InputFile: "f", Metadata: map[string]string{"a": "b"}},
		}
		require.NoError(t, db.BatchJobs().Insert(ctx, want))
		again := openURL(t, url)
		got, err := again.BatchJobs().Get(ctx, "acme", "b")
		require.NoError(t, err)
		assert.Equal(t, want, got)
		_, err = again.BatchJobs().Get(ctx, "other", "b")
		require.ErrorIs(t, err, ErrNotFound)

		open, err := again.BatchJobs().ListOpen(ctx, made, 10)
		require.NoError(t, err)
		assert.Len(t, open, 1)
		open, err = again.BatchJobs().ListOpen(ctx, made.Add(time.Second), 10)
		require.NoError(t, err)
		assert.Empty(t, open, "too old")

		got, err = again.BatchJobs().Change(ctx, "b", func(j *BatchJob) ([]*BatchFile, bool) {
			j.Status, j.Settled, j.PolledAt, j.OutputFile = "completed", true, made.Add(time.Minute), "out"
			return []*BatchFile{{ID: "out", Tenant: "acme"}}, true
		})
		require.NoError(t, err)
		stored, err := db.BatchJobs().Get(ctx, "acme", "b")
		require.NoError(t, err)
		assert.Equal(t, got, stored)
		_, err = db.BatchFiles().Get(ctx, "acme", "out")
		require.NoError(t, err)
		_, err = db.BatchJobs().Change(ctx, "b", func(j *BatchJob) ([]*BatchFile, bool) {
			j.Status = "lost"
			return nil, false
		})
		require.NoError(t, err)
		stored, err = db.BatchJobs().Get(ctx, "acme", "b")
		require.NoError(t, err)
		assert.Equal(t, "completed", stored.Status, "nothing was to be written")
		open, err = db.BatchJobs().ListOpen(ctx, made, 10)
		require.NoError(t, err)
		assert.Empty(t, open)
		_, err = db.BatchJobs().Change(ctx, "nobody", func(*BatchJob) ([]*BatchFile, bool) { return nil, true })
		require.ErrorIs(t, err, ErrNotFound)

		list, err := db.BatchJobs().List(ctx, "acme", BatchPage{Limit: 3})
		require.NoError(t, err)
		assert.Len(t, list, 1)
		require.NoError(t, db.BatchJobs().Delete(ctx, "acme", "b"))
		require.ErrorIs(t, db.BatchJobs().Delete(ctx, "acme", "b"), ErrNotFound)
		assert.Equal(t, before, version(t, db), "files and batches are not part of the configuration")
	})
}
