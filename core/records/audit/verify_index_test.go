package audit

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Lists skip runs of records by an index that is not signed.
func TestAnIndexThatHidesRecordsFromListsIsFound(t *testing.T) {
	listed := func(t *testing.T, path string) (n int) {
		ctx := context.Background()
		db, err := store.Open(ctx, "sqlite:"+path)
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close(ctx)) }()
		require.NoError(t, db.Audit().Visit(ctx, store.AuditFilter{Tenant: "acme", Type: GatewayRequest}, func(*store.AuditRecord) error {
			n++
			return nil
		}))
		return n
	}
	for name, sql := range map[string]string{
		"marks removed": "UPDATE audit_checkpoint SET marks = x''",
		"an entry made": "DELETE FROM audit_checkpoint; INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) " +
			"SELECT node, 19, 1, last_at, x'' FROM audit_segment WHERE last_seq = 20",
		"an entry behind the end": "INSERT INTO audit_checkpoint (node, seq, first_seq, at, marks) " +
			"SELECT node, 1 << 60, 1, last_at, x'' FROM audit_segment WHERE last_seq = 20",
	} {
		t.Run(name, func(t *testing.T) {
			path := chainOf(t, 20)
			require.Equal(t, 17, listed(t, path))
			require.Nil(t, verify(t, path, testKey).Broken)
			tamper(t, path, sql)
			require.Zero(t, listed(t, path), "the list leaves them out")
			rep := verify(t, path, testKey)
			require.NotNil(t, rep.Broken)
			assert.Equal(t, int64(20), rep.Records, "the chain itself is whole")
			assert.Contains(t, rep.Broken.Reason, "lists and exports of a tenant or a type leave records out")
		})
	}
	t.Run("an entry without marks, or none, hides nothing", func(t *testing.T) {
		path := chainOf(t, 20)
		for _, sql := range []string{"UPDATE audit_checkpoint SET marks = NULL", "DELETE FROM audit_checkpoint"} {
			tamper(t, path, sql)
			require.Equal(t, 17, listed(t, path))
			require.Nil(t, verify(t, path, testKey).Broken)
		}
	})
}
