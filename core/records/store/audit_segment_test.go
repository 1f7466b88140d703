package store

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestALargeBatchIsCutIntoSegments(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{})
		payload := []byte(`"` + strings.Repeat("x", 1000) + `"`)
		for range 1000 {
			require.NoError(t, w.AppendAudit(ctx, "t", "X", payload))
		}
		require.NoError(t, w.Sync(ctx))
		assert.GreaterOrEqual(t, count(t, db, "audit_segment"), 4)
		assert.Zero(t, count(t, db, "audit_segment WHERE length(data) > 256 * 1024 + 1100"))
		next := int64(1000)
		require.NoError(t, db.Audit().Visit(ctx, AuditFilter{}, func(r *AuditRecord) error {
			assert.Equal(t, next, r.Seq)
			assert.Len(t, r.Payload, 1002)
			next--
			return nil
		}))
		assert.Zero(t, next)
	})
}

func TestADamagedSegmentIsNotListed(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{})
		require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
		require.NoError(t, w.Sync(ctx))
		_, err := db.write.Exec(db.write.Rebind("UPDATE audit_segment SET data = ?"), []byte{0xff})
		require.NoError(t, err)
		require.ErrorIs(t, db.Audit().Visit(ctx, AuditFilter{}, func(*AuditRecord) error { return nil }), ErrDamaged)
		_, err = db.Audit().CountByType(ctx, "")
		require.ErrorIs(t, err, ErrDamaged)
	})
}

// Whatever bytes stand in the database, they are read without a panic, and what can be read is written the same way.
func FuzzRecords(f *testing.F) {
	f.Add(appendRecord(nil, 5, &AuditEvent{Tenant: "acme", Type: "X", Payload: "{}", At: 1000}, [TagSize]byte{1}))
	f.Add([]byte{3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := AuditSegment{First: math.MaxInt64 - 1, FirstAt: 5, Data: data}
		var again []byte
		err := s.VisitRecords(func(r *AuditRecord) error {
			again = appendRecord(again, s.FirstAt, &AuditEvent{Tenant: r.Tenant, Type: r.Type, Payload: r.Payload, At: r.At}, r.Tag)
			return nil
		})
		assert.Equal(t, string(data[:len(again)]), string(again))
		if err == nil {
			assert.Len(t, again, len(data))
		}
	})
}
