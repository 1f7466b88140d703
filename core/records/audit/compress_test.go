package audit

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestAChainOfCompressedSegmentsIsVerified(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "audit.db")
	db, err := store.Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{CompressFrom: time.Unix(0, 0)})
	log, _, err := Open(ctx, db, w, testKey)
	require.NoError(t, err)
	for n := range 100 {
		require.NoError(t, log.Append(ctx, Event{Tenant: "t", Type: ConfigChanged, Payload: fmt.Appendf(nil, `{"id":"%d"}`, n)}))
	}
	gateway{db, w, log}.stop(t, true)
	r := verify(t, path, testKey)
	require.True(t, r.Valid(), r.Broken)
	assert.EqualValues(t, 103, r.Records)

	raw, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	_, err = raw.Exec("UPDATE audit_segment SET data = CAST(substr(data, 1, length(data) - 1) AS BLOB) WHERE first_seq = 2")
	require.NoError(t, err)
	require.NoError(t, raw.Close())
	r = verify(t, path, testKey)
	require.False(t, r.Valid())
	assert.EqualValues(t, 2, r.Broken.Seq)
	assert.Contains(t, r.Broken.Reason, "cannot be read")
}
