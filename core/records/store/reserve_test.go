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

func TestAnAdmittedExchangeIsRecordedWhenTheQueueIsFull(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, MaxRecords: 64, Wait: 5 * time.Millisecond})
		release := hold(t, db)
		event := AuditText{Tenant: "t", Type: "X", Payload: []byte("{}")}
		var rooms []Room
		for {
			room, err := w.Reserve(ctx)
			if err != nil {
				require.ErrorIs(t, err, ErrBusy)
				break
			}
			require.NoError(t, w.AppendAdmitted(&room, nil, event))
			rooms = append(rooms, room)
		}
		assert.Len(t, rooms, 64/exchangeLoad.records)
		assert.EqualValues(t, 1, w.Stats().Refused)
		assert.True(t, w.Stats().Full)
		for w.AppendAudit(ctx, "t", "FILL", []byte("{}")) == nil {
		}
		for i := range rooms {
			u := &UsageRecord{ExchangeID: fmt.Sprint(i), Tenant: "t", KeyID: "k", Outcome: "served"}
			require.NoError(t, w.AppendAdmitted(&rooms[i], u, event, event), "the records of an admitted exchange are taken")
			w.Release(&rooms[i])
		}
		release()
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, 3*len(rooms), count(t, db, "usage_record")*3)
		fill := 0
		require.NoError(t, db.Audit().Visit(ctx, AuditFilter{Type: "FILL"}, func(*AuditRecord) error { fill++; return nil }))
		assert.Equal(t, 3*len(rooms)+fill, records(t, db))
		assert.Equal(t, load{}, w.reserved, "all room was given back")
		assert.False(t, w.Stats().Full)
		_, err := w.Reserve(ctx)
		require.NoError(t, err, "there is room again")
	})
}

func TestRoomThatAnExchangeDidNotNeedIsGivenBack(t *testing.T) {
	ctx := context.Background()
	w := newWriter(t, openFile(t), WriterOptions{MaxRecords: exchangeLoad.records, Wait: time.Minute})
	room, err := w.Reserve(ctx)
	require.NoError(t, err)
	waiting := make(chan error)
	go func() {
		next, err := w.Reserve(ctx)
		w.Release(&next)
		waiting <- err
	}()
	w.Release(&room)
	w.Release(&room) // releasing twice does no harm
	require.NoError(t, <-waiting)
	assert.Equal(t, load{}, w.reserved)
}

func TestAnAdmittedRecordMayBeLargerThanItsRoom(t *testing.T) {
	ctx := context.Background()
	db := openFile(t)
	w := newWriter(t, db, WriterOptions{MaxBytes: 4 << 10, Wait: time.Millisecond})
	room, err := w.Reserve(ctx)
	require.NoError(t, err)
	large := AuditText{Type: "X", Payload: []byte(`"` + strings.Repeat("x", 8<<10) + `"`)}
	require.NoError(t, w.AppendAdmitted(&room, nil, large))
	w.Release(&room)
	require.NoError(t, w.Sync(ctx))
	assert.Equal(t, 1, records(t, db))
	assert.Equal(t, load{}, w.reserved)
}

// A queue that waited for its database holds more than one transaction should: the server might not finish it within the
// time that a batch has.
func TestALongQueueIsWrittenInSeveralBatches(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, MaxRecords: 10 * batchRecords, Wait: time.Minute})
		release := hold(t, db)
		const n = 3*batchRecords + 10
		for i := range n {
			require.NoError(t, w.AppendAudit(ctx, "t", "X", fmt.Appendf(nil, `{"n":%d}`, i)))
		}
		assert.Equal(t, n, w.Stats().Queued)
		release()
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, n, records(t, db))
		assert.GreaterOrEqual(t, w.Stats().Flushes, int64(4))
		next := n
		require.NoError(t, db.Audit().Visit(ctx, AuditFilter{}, func(r *AuditRecord) error { // the newest first
			next--
			require.Equal(t, fmt.Sprintf(`{"n":%d}`, next), r.Payload)
			return nil
		}))
		assert.Zero(t, w.Stats().Queued)
	})
}
