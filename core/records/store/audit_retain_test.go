package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// Two processes on one PostgreSQL may remove records of one chain at the same time.
func TestABaseIsNeverMovedBackByAnotherProcess(t *testing.T) {
	ctx := context.Background()
	db := openURL(t, pgtest.CopyPrepared(t, func(url string) error {
		db, err := Open(ctx, url)
		if err != nil {
			return err
		}
		return db.Close(ctx)
	}))
	for _, first := range []int{1, 3} {
		_, err := db.write.Exec(
			"INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data) VALUES ('n', $1, $2, 1, 1, '', '', '')",
			first,
			first+1,
		)
		require.NoError(t, err)
	}
	other, err := db.write.Beginx() // removes both, and is not done yet
	require.NoError(t, err)
	_, err = other.Exec("INSERT INTO audit_base (node, seq, at, hash, counts, removed_at, sig) VALUES ('n', 4, 1, '', '{}', 1, '')")
	require.NoError(t, err)
	_, err = other.Exec("DELETE FROM audit_segment WHERE node = 'n'")
	require.NoError(t, err)
	trimmed := make(chan error, 1)
	go func() { trimmed <- db.Audit().Trim(ctx, "n", &AuditBase{Seq: 2}) }()
	require.Eventually(t, func() bool {
		return count(t, db, "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
	}, 10*time.Second, 5*time.Millisecond)
	require.NoError(t, other.Commit())
	require.ErrorContains(t, <-trimmed, "meanwhile")
	base, err := db.Audit().GetBase(ctx, "n")
	require.NoError(t, err)
	assert.EqualValues(t, 4, base.Seq)
}
