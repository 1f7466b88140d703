package store

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

func TestAFullDiskOfPostgreSQLIsAFullDatabase(t *testing.T) {
	ctx := context.Background()
	dbURL, disk := pgtest.StartServer(t).StartOnDisk(t)
	db := openURL(t, dbURL)
	w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, MaxRecords: 100, Wait: 10 * time.Millisecond})
	disk.Fill(t, 1<<20)
	n, err := fill(db)
	checkFull(t, db, n, err)
	taken := 0
	for ; taken < 100_000; taken++ {
		if err = w.AppendAudit(ctx, "t", "X", []byte(`"`+strings.Repeat("x", 500)+`"`)); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, ErrBusy, "traffic that cannot be recorded is refused")
	disk.Free(t)
	require.NoError(t, w.Sync(ctx))
	assert.Equal(t, taken, records(t, db))
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "again", Status: "active"}))
}
