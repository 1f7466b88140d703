package store

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFileGivesBackTheSpaceOfWhatWasRemoved(t *testing.T) {
	ctx := context.Background()
	db := openFile(t)
	w := newWriter(t, db, WriterOptions{MaxRecords: 1 << 20})
	old := time.Now().Add(-10 * 24 * time.Hour)
	for n := range 40_000 {
		require.NoError(t, w.AppendUsage(ctx, &UsageRecord{ExchangeID: fmt.Sprintf("%032x", n), Tenant: "t", Outcome: "served", At: old}))
	}
	require.NoError(t, w.Sync(ctx))
	size := func() int64 {
		_, err := db.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		require.NoError(t, err)
		info, err := os.Stat(db.Path())
		require.NoError(t, err)
		return info.Size()
	}
	full := size()
	for more := true; more; {
		var err error
		more, err = db.Usage().Trim(ctx, time.Now().Add(-48*time.Hour))
		require.NoError(t, err)
	}
	assert.Equal(t, full, size(), "what is free stays in the file")
	for more := true; more; {
		var err error
		more, err = db.ReleaseFreeSpace(ctx)
		require.NoError(t, err)
	}
	assert.Less(t, 2*size(), full)
	assert.Zero(t, count(t, db, "usage_record"))
	totals, err := db.Usage().SumUsage(ctx, UsageFilter{})
	require.NoError(t, err)
	assert.Zero(t, totals.Records)
}
