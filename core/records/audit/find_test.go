package audit

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func openOn(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close(context.Background())) })
	return db
}

// idOf is the event id of a record as it is stored.
func idOf(t *testing.T, db *store.DB, seq int64) (id string) {
	t.Helper()
	require.NoError(t, db.Audit().Visit(t.Context(), store.AuditFilter{}, func(r *store.AuditRecord) error {
		if r.Seq == seq {
			id = r.EventID()
		}
		return nil
	}))
	return id
}

func TestEachRecordIsFoundByItsIDWithTheHashesOfTheChain(t *testing.T) {
	path := chainOf(t, 20)
	report := verify(t, path, testKey)
	db := openOn(t, path)
	for seq := int64(1); seq <= 20; seq++ {
		id := idOf(t, db, seq)
		f, err := FindRecord(t.Context(), db, testKey, id)
		require.NoError(t, err)
		assert.Equal(t, id, f.EventID)
		assert.Equal(t, seq, f.Seq)
		assert.Empty(t, f.Broken)
		assert.Len(t, f.Hash, 64)
		assert.LessOrEqual(t, f.Segment[0], seq)
		assert.GreaterOrEqual(t, f.Segment[1], seq)
		if seq == 20 {
			assert.Equal(t, fmt.Sprintf("%x", report.LastHash), f.Chain, "as the verification has it")
		}
	}
}

func TestAnIDThatIsNoRecordsIsNotFound(t *testing.T) {
	path := chainOf(t, 20)
	db := openOn(t, path)
	id := idOf(t, db, 7)
	for _, other := range []string{"", "x", id[:len(id)-1] + "!", id[:len(id)-16] + "0000000000000000", "n-9000-0011223344556677"} {
		_, err := FindRecord(t.Context(), db, testKey, other)
		assert.ErrorIs(t, err, store.ErrNotFound, other)
	}
}

func TestARecordThatWasMeddledWithSaysSo(t *testing.T) {
	for name, c := range map[string]struct{ sql, says string }{
		"its place":             {"UPDATE audit_segment SET first_at = first_at + 1 WHERE first_seq = 6", "content"},
		"the segment's sign":    {"UPDATE audit_segment SET sig = zeroblob(32) WHERE first_seq = 6", "signed about the segment"},
		"a cut segment":         {"UPDATE audit_segment SET data = substr(data, 1, length(data) - 1) WHERE first_seq = 6", "cannot be read"},
		"the hash before it":    {"UPDATE audit_segment SET hash = zeroblob(32) WHERE first_seq = 2", "do not lead to"},
		"another record's text": {"UPDATE audit_segment SET data = CAST(data || x'00' AS BLOB) WHERE first_seq = 6", "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			path := chainOf(t, 20)
			db := openOn(t, path)
			id := idOf(t, db, 7)
			tamper(t, path, c.sql)
			f, err := FindRecord(t.Context(), db, testKey, id)
			require.NoError(t, err)
			assert.Contains(t, f.Broken, c.says)
		})
	}
}

func TestARecordBehindAHoleIsFoundWithoutTheHashOfTheChain(t *testing.T) {
	path := chainOf(t, 20)
	db := openOn(t, path)
	id := idOf(t, db, 12)
	tamper(t, path, "DELETE FROM audit_segment WHERE first_seq < 10")
	f, err := FindRecord(t.Context(), db, testKey, id)
	require.NoError(t, err)
	assert.Empty(t, f.Chain, "what lies before cannot be read")
	assert.Empty(t, f.Broken, "the verification tells that records are missing")
	_, err = FindRecord(t.Context(), db, testKey, "n-3-0011223344556677")
	assert.ErrorIs(t, err, store.ErrNotFound)
}
