package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hold keeps traffic from being written until what it answers is called.
func hold(t *testing.T, db *DB) (release func()) {
	t.Helper()
	release, err := db.acquireWriter(context.Background())
	require.NoError(t, err)
	if db.postgres {
		tx, err := db.write.Begin()
		require.NoError(t, err)
		_, err = tx.Exec("LOCK TABLE traffic_writer")
		require.NoError(t, err)
		return func() { assert.NoError(t, tx.Rollback()) }
	}
	return release
}

func TestAFullQueueRefusesAndNothingIsLost(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, MaxRecords: 8, Wait: 5 * time.Millisecond})
		release := hold(t, db)
		taken := 0
		for range 100 {
			if err := w.AppendAudit(ctx, "t", "X", []byte("{}")); err != nil {
				require.ErrorIs(t, err, ErrBusy)
				break
			}
			taken++
		}
		assert.LessOrEqual(t, taken, 16, "one batch waits and one is being written")
		assert.Equal(t, int64(1), w.Stats().Refused)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		err := w.AppendAudit(gone, "t", "X", []byte("{}"))
		require.ErrorIs(t, err, ErrBusy)
		require.ErrorIs(t, err, context.Canceled)
		release()
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, taken, records(t, db))
		require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")), "there is room again")
	})
}

func TestAFailedBatchIsTriedAgainAndReported(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		heard := make(chan int, 100)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, OnError: func(err error, n int) {
			assert.ErrorContains(t, err, "audit_segment")
			select {
			case heard <- n:
			default:
			}
		}})
		_, err := db.write.Exec("ALTER TABLE audit_segment RENAME TO away")
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
		}
		assert.Positive(t, <-heard)
		assert.True(t, w.Stats().Failing)
		release, err := db.acquireWriter(ctx)
		require.NoError(t, err)
		_, err = db.write.Exec("ALTER TABLE away RENAME TO audit_segment")
		require.NoError(t, err)
		release()
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, 3, records(t, db))
		assert.False(t, w.Stats().Failing)
		assert.Positive(t, w.Stats().Failures)
	})
}

func TestASealerThatRefusesHoldsTheBatch(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := NewWriter(db, WriterOptions{Interval: time.Millisecond})
		require.ErrorIs(t, w.AppendAudit(ctx, "t", "X", []byte("{}")), ErrNoSealer)
		broken := errors.New("broken chain")
		w.SetSealer(&plain{fail: broken})
		require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
		assert.Eventually(t, func() bool { return w.Stats().Failing }, 10*time.Second, time.Millisecond)
		soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		err := w.Close(soon)
		require.ErrorContains(t, err, "1 traffic records were not written")
		require.ErrorIs(t, err, broken)
		require.ErrorIs(t, w.Sync(ctx), ErrClosed)
		assert.Zero(t, records(t, db))
	})
}

func TestAFullDiskRefusesExchangesAndLosesNothing(t *testing.T) {
	ctx := context.Background()
	db := openFile(t)
	w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, MaxRecords: 200, Wait: 20 * time.Millisecond})
	var pages int
	require.NoError(t, db.write.Get(&pages, "PRAGMA page_count"))
	limit := func(n int) {
		release, err := db.acquireWriter(ctx)
		require.NoError(t, err)
		_, err = db.write.Exec(fmt.Sprint("PRAGMA max_page_count = ", n))
		require.NoError(t, err)
		release()
	}
	limit(pages + 10)
	taken := 0
	payload := []byte(`"` + strings.Repeat("x", 1000) + `"`)
	var err error
	for taken < 10_000 {
		if err = w.AppendAudit(ctx, "t", "X", payload); err != nil {
			break
		}
		taken++
	}
	require.ErrorIs(t, err, ErrBusy)
	assert.True(t, w.Stats().Failing)
	limit(1 << 20)
	require.NoError(t, w.Sync(ctx))
	assert.Equal(t, taken, records(t, db))
	head, err := db.Audit().GetHead(ctx, "n")
	require.NoError(t, err)
	assert.EqualValues(t, taken, head.Seq, "a batch that failed was sealed again from where the last good one ended")
}

func TestBytesAreBoundedAsWell(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{MaxBytes: 1000, Wait: time.Millisecond})
		require.ErrorIs(t, w.AppendAudit(ctx, "t", "X", make([]byte, 1001)), ErrTooLarge)
		require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte(`"`+strings.Repeat("a", 900)+`"`)))
	})
}
