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

func TestCompressedAndPlainSegmentsAreReadAlike(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		for i, compress := range []bool{false, true, false} {
			var from time.Time
			if compress {
				from = time.Unix(0, 0)
			}
			w := NewWriter(db, WriterOptions{CompressFrom: from})
			w.SetSealer(&plain{})
			for n := range 50 {
				require.NoError(t, w.AppendAudit(ctx, "default", "GATEWAY_REQUEST", fmt.Appendf(nil, `{"request_id":"%d-%d","shape":"openai.chat"}`, i, n)))
			}
			require.NoError(t, w.Close(ctx))
		}
		assert.Equal(t, 150, records(t, db))
		var sizes []int
		require.NoError(t, db.read.SelectContext(ctx, &sizes, "SELECT length(data) FROM audit_segment ORDER BY first_seq"))
		require.Len(t, sizes, 3)
		assert.Less(t, 3*sizes[1], sizes[0])
		assert.Less(t, 3*sizes[1], sizes[2])
		next := 150
		require.NoError(t, db.Audit().Visit(ctx, AuditFilter{}, func(r *AuditRecord) error {
			next--
			assert.Equal(t, fmt.Sprintf(`{"request_id":"%d-%d","shape":"openai.chat"}`, next/50, next%50), r.Payload)
			return nil
		}))
	})
}

func TestSegmentsOfASharedDatabaseAreCompressedADayAfterItsMigration(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		from, err := db.Audit().FindCompressionStart(ctx)
		require.NoError(t, err)
		if db.postgres {
			assert.WithinDuration(t, time.Now().Add(24*time.Hour), from, time.Hour)
		} else {
			assert.True(t, from.Before(time.Now()))
		}
		w := NewWriter(db, WriterOptions{CompressFrom: time.Now().Add(time.Hour)})
		w.SetSealer(&plain{})
		for range 50 {
			require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte(`{"a":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`)))
		}
		require.NoError(t, w.Close(ctx))
		assert.Equal(t, 1, count(t, db, "audit_segment WHERE length(data) > 1500"))
	})
}

func TestAFrameThatIsDamagedIsADamagedSegment(t *testing.T) {
	frame := newSegmentEncoder().EncodeAll([]byte("some records some records some records"), nil)
	for _, data := range [][]byte{frame[:len(frame)-1], append(zstdMagic, 1, 2, 3), zstdMagic} {
		s := AuditSegment{First: 7, Data: decompressSegment(data)}
		err := s.VisitRecords(func(*AuditRecord) error { return nil })
		require.ErrorIs(t, err, ErrDamaged)
		assert.ErrorContains(t, err, "record 7")
	}
}

// appendExchange appends the records of one exchange as the gateway writes them.
func appendExchange(t testing.TB, w *Writer, n int) {
	t.Helper()
	ctx := context.Background()
	id := fmt.Sprintf("%016x%016x", uint64(n)*0x9e3779b97f4a7c15, uint64(n+1)*0xc2b2ae3d27d4eb4f)
	key := n % 10
	prompt, answer := 100+n*7919%3000, 20+n*104729%900
	latency := 300 + n*31337%4000
	require.NoError(t, w.AppendAudit(ctx, "default", "GATEWAY_REQUEST", fmt.Appendf(nil,
		`{"request_id":"%s","shape":"openai.chat","api_key":"gw_%07d","api_key_id":"key_%018d","model":"gpt-4o-mini","stream":%t,"messages":%d}`,
		id, key, key, n%2 == 0, 1+n%9)))
	u := UsageRecord{
		ExchangeID: id, Tenant: "default", KeyID: fmt.Sprintf("key_%018d", key), Dialect: "openai.chat", ModelRequested: "gpt-4o-mini",
		Provider: "openai", Model: "gpt-4o-mini", Outcome: "served", Status: 200, Input: int64(prompt), Output: int64(answer), Counted: true,
		Streamed: n%2 == 0, Cost: int64(prompt*1500 + answer*6000), InputCost: int64(prompt * 1500), PriceID: "p", Priced: true,
		Latency: time.Duration(latency) * time.Millisecond, FirstByte: time.Duration(latency/3) * time.Millisecond,
	}
	require.NoError(t, w.AppendExchange(ctx, &u, AuditText{Tenant: "default", Type: "GATEWAY_RESPONSE", Payload: fmt.Appendf(nil,
		`{"request_id":"%s","model":"gpt-4o-mini","provider":"openai","status":200,"outcome":"served","complete":true,"latency_ms":%d,`+
			`"api_key":"gw_%07d","tokens_prompt":%d,"tokens_completion":%d,"tokens_total":%d}`,
		id, latency, key, prompt, answer, prompt+answer)}))
}

// bytesOfExchanges writes exchanges while more returns true. It returns how many it wrote and what one takes in the file of
// SQLite, and in its audit segments, in bytes.
func bytesOfExchanges(t testing.TB, perBatch int, compress bool, more func() bool) (n int, each, audit float64) {
	t.Helper()
	ctx := context.Background()
	db := openFile(t)
	var from time.Time
	if compress {
		from = time.Unix(0, 0)
	}
	w := newWriter(t, db, WriterOptions{Interval: time.Hour, Wait: time.Minute, CompressFrom: from})
	size := func() int64 {
		_, err := db.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		require.NoError(t, err)
		info, err := os.Stat(db.Path())
		require.NoError(t, err)
		return info.Size()
	}
	before := size()
	for more() {
		appendExchange(t, w, n)
		if n++; n%perBatch == 0 {
			require.NoError(t, w.Sync(ctx))
		}
	}
	require.NoError(t, w.Sync(ctx))
	var segments int64
	require.NoError(t, db.read.Get(&segments, "SELECT sum(length(data) + 120) FROM audit_segment"))
	return n, float64(size()-before) / float64(n), float64(segments) / float64(n)
}

// The goal is less than 250 bytes an exchange. An exchange is 195 bytes in a database of 20,000; a small one holds more
// empty pages for each.
func TestAnExchangeTakesLessThan250Bytes(t *testing.T) {
	for _, perBatch := range []int{4, 400} {
		left := 4001
		n, each, audit := bytesOfExchanges(t, perBatch, true, func() bool { left--; return left > 0 })
		require.Equal(t, 4000, n)
		assert.Less(t, each, 250.0, "%d in a batch, %.0f of them audit", perBatch, audit)
		assert.Less(t, audit, each)
	}
}

// BenchmarkBytesOfAnExchange reports what an exchange takes in the file of SQLite, at 4 exchanges in a batch (100 in a
// second) and at 400.
func BenchmarkBytesOfAnExchange(b *testing.B) {
	for _, perBatch := range []int{4, 400} {
		for _, compress := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d in a batch, compressed %t", perBatch, compress), func(b *testing.B) {
				used := cpu()
				n, each, audit := bytesOfExchanges(b, perBatch, compress, b.Loop)
				b.ReportMetric(float64(cpu()-used)/float64(n), "cpu-ns/exchange")
				b.ReportMetric(each, "B/exchange")
				b.ReportMetric(audit, "audit-B/exchange")
			})
		}
	}
}
