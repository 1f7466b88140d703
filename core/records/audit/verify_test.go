package audit

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Segments of a chain of twenty: 1, 2 to 5, 6 to 9, 10 to 13, 14 to 17, 18 to 20.
func TestTamperingWithSegmentsIsFoundAtTheRightRecord(t *testing.T) {
	for name, c := range map[string]struct {
		sql    []string
		seq    int64
		reason string
	}{
		"a segment deleted":   {[]string{"DELETE FROM audit_segment WHERE first_seq = 6"}, 6, "records 6 to 9 are missing"},
		"segments deleted":    {[]string{"DELETE FROM audit_segment WHERE first_seq IN (6, 10)"}, 6, "records 6 to 13 are missing"},
		"the first deleted":   {[]string{"DELETE FROM audit_segment WHERE first_seq = 1"}, 1, "the record is missing"},
		"all of them deleted": {[]string{"DELETE FROM audit_segment"}, 1, "records 1 to 20 are missing at the end"},
		"one deleted and the others renumbered": {[]string{
			"DELETE FROM audit_segment WHERE first_seq = 6",
			"UPDATE audit_segment SET first_seq = first_seq - 4, last_seq = last_seq - 4 WHERE first_seq > 6",
		}, 6, "content"},
		"two swapped": {[]string{
			"UPDATE audit_segment SET first_seq = 100 WHERE first_seq = 6", "UPDATE audit_segment SET first_seq = 6, last_seq = 9 WHERE first_seq = 10",
			"UPDATE audit_segment SET first_seq = 10, last_seq = 13 WHERE first_seq = 100",
		}, 6, "content"},
		"one put in between": {[]string{
			"UPDATE audit_segment SET first_seq = first_seq + 1000, last_seq = last_seq + 4 WHERE first_seq > 9",
			"INSERT INTO audit_segment SELECT node, 10, 13, first_at, last_at, hash, sig, data FROM audit_segment WHERE first_seq = 6",
			"UPDATE audit_segment SET first_seq = first_seq - 996 WHERE first_seq > 1000",
		}, 10, "content"},
		"one put at the end": {[]string{
			"INSERT INTO audit_segment SELECT node, 21, 23, first_at, last_at, hash, sig, data FROM audit_segment WHERE first_seq = 18",
		}, 21, "content"},
		"one put at the start": {[]string{
			"INSERT INTO audit_segment SELECT node, 0, 0, first_at, last_at, hash, sig, data FROM audit_segment WHERE first_seq = 1",
		}, 0, "number"},
		"the end cut off":      {[]string{"DELETE FROM audit_segment WHERE first_seq > 14"}, 18, "records 18 to 20 are missing at the end"},
		"the first one empty":  {[]string{"UPDATE audit_segment SET data = x'' WHERE first_seq = 1"}, 1, "missing"},
		"one empty":            {[]string{"UPDATE audit_segment SET data = x'' WHERE first_seq = 6"}, 6, "missing"},
		"one cut in its data":  {[]string{"UPDATE audit_segment SET data = substr(data, 1, length(data) - 1) WHERE first_seq = 6"}, 9, "cannot be read"},
		"a byte after it":      {[]string{"UPDATE audit_segment SET data = CAST(data || x'00' AS BLOB) WHERE first_seq = 6"}, 10, "cannot be read"},
		"its end moved":        {[]string{"UPDATE audit_segment SET last_seq = last_seq + 1 WHERE first_seq = 6"}, 9, "signed about its segment"},
		"its end time moved":   {[]string{"UPDATE audit_segment SET last_at = last_at + 1 WHERE first_seq = 6"}, 9, "signed about its segment"},
		"its start time moved": {[]string{"UPDATE audit_segment SET first_at = first_at + 1 WHERE first_seq = 6"}, 6, "content"},
		"a signature cut":      {[]string{"UPDATE audit_segment SET sig = substr(sig, 1, 31) WHERE first_seq = 6"}, 9, "signed about its segment"},
		"a signature longer":   {[]string{"UPDATE audit_segment SET sig = CAST(sig || x'00' AS BLOB) WHERE first_seq = 6"}, 9, "signed about its segment"},
		"a hash cut":           {[]string{"UPDATE audit_segment SET hash = x'' WHERE first_seq = 6"}, 9, "signed about its segment"},
		"the end cut off with a head": {[]string{
			"DELETE FROM audit_segment WHERE first_seq > 14",
			"UPDATE audit_head SET seq = 17, (at, hash, sig) = (SELECT last_at, hash, sig FROM audit_segment WHERE last_seq = 17)",
		}, 17, "head of the chain was changed"},
		"the head deleted": {[]string{"DELETE FROM audit_head"}, 20, "head of the chain is missing"},
		"the head changed": {[]string{"UPDATE audit_head SET at = at + 1"}, 20, "head of the chain was changed"},
		"the head longer":  {[]string{"UPDATE audit_head SET sig = CAST(sig || x'00' AS BLOB)"}, 20, "head of the chain was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			path := chainOf(t, 20)
			tamper(t, path, c.sql...)
			assertBroken(t, verify(t, path, testKey), c.seq, c.reason)
		})
	}
}

func assertBroken(t *testing.T, rep Report, seq int64, reason string) {
	t.Helper()
	require.NotNil(t, rep.Broken)
	assert.Equal(t, seq, rep.Broken.Seq)
	assert.Contains(t, rep.Broken.Reason, reason)
	assert.Contains(t, rep.Broken.String(), fmt.Sprintf("record %d", seq))
}

// forgery changes the records of the segment of the records 6 to 9, each as it is stored, and what stands beside them.
type forgery func(records [][]byte, s *store.AuditSegment) [][]byte

func TestTamperingWithinASegmentIsFoundAtTheRightRecord(t *testing.T) {
	// rehash computes all that can be computed without the key.
	rehash := func(records [][]byte, s *store.AuditSegment) [][]byte {
		h, err := newHasher(testKey)
		require.NoError(t, err)
		s.Data = bytes.Join(records, nil)
		sum := s.Hash // put there by tamperSegment: the hash before the segment
		s.Last = s.First - 1
		require.NoError(t, s.VisitRecords(func(r *store.AuditRecord) error {
			sum, _ = h.hashRecord(&sum, r)
			s.Last, s.LastAt = r.Seq, r.At
			return nil
		}))
		s.Hash = sum
		return records
	}
	content := func(r [][]byte, n int) { r[n] = bytes.Replace(r[n], []byte(`"n"`), []byte(`"m"`), 1) }
	for name, c := range map[string]struct {
		forge  forgery
		seq    int64
		reason string
	}{
		"a record taken out":     {func(r [][]byte, _ *store.AuditSegment) [][]byte { return slices.Delete(r, 1, 2) }, 7, "content"},
		"the last one taken out": {func(r [][]byte, _ *store.AuditSegment) [][]byte { return r[:3] }, 9, "the record is missing"},
		"two swapped": {func(r [][]byte, _ *store.AuditSegment) [][]byte {
			r[1], r[2] = r[2], r[1]
			return r
		}, 7, "content"},
		"one taken twice": {func(r [][]byte, _ *store.AuditSegment) [][]byte { return slices.Insert(r, 2, r[1]) }, 8, "content"},
		"one added":       {func(r [][]byte, _ *store.AuditSegment) [][]byte { return append(r, r[3]) }, 10, "content"},
		"a payload changed": {func(r [][]byte, _ *store.AuditSegment) [][]byte {
			content(r, 2)
			return r
		}, 8, "content"},
		"a payload changed and all hashes recomputed": {func(r [][]byte, s *store.AuditSegment) [][]byte {
			content(r, 2)
			return rehash(r, s)
		}, 8, "forged without the key"},
		"the last removed and all hashes recomputed": {func(r [][]byte, s *store.AuditSegment) [][]byte {
			return rehash(r[:3], s)
		}, 8, "cut off"},
		"a length written longer": {func(r [][]byte, _ *store.AuditSegment) [][]byte {
			r[2] = append([]byte{r[2][0] | 0x80, 0}, r[2][1:]...)
			return r
		}, 8, "cannot be read"},
		"a text moved between fields": {func(r [][]byte, _ *store.AuditSegment) [][]byte {
			at := bytes.IndexByte(r[2], 'a') - 1 // the length of "acme"
			r[2][at]++
			return r
		}, 8, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := chainOf(t, 20)
			tamperSegment(t, path, c.forge)
			assertBroken(t, verify(t, path, testKey), c.seq, c.reason)
		})
	}
}

func nodeOf(t testing.TB, db *store.DB) string {
	t.Helper()
	node, err := FindNode(context.Background(), db)
	require.NoError(t, err)
	return node
}

// tamperSegment takes the segment of the records 6 to 9 apart and puts back what forge makes of it.
func tamperSegment(t *testing.T, path string, forge forgery) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	var s store.AuditSegment
	var before [32]byte
	require.NoError(
		t,
		db.Audit().Walk(ctx, nodeOf(t, db), func(*store.AuditBase, *store.AuditHead) error { return nil }, func(r *store.AuditSegment) error {
			switch r.First {
			case 2:
				before = r.Hash
			case 6:
				s = *r
				s.Data = bytes.Clone(r.Data)
			}
			return nil
		}),
	)
	require.NoError(t, db.Close(ctx))
	var records [][]byte
	for rest := s.Data; len(rest) > 0; {
		size, n := binary.Uvarint(rest)
		n += int(size) + store.TagSize
		records = append(records, bytes.Clone(rest[:n]))
		rest = rest[n:]
	}
	require.Len(t, records, 4)
	old := s.Hash
	s.Hash = before
	s.Data = bytes.Join(forge(records, &s), nil)
	if s.Hash == before {
		s.Hash = old
	}
	raw, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	_, err = raw.Exec(
		"UPDATE audit_segment SET last_seq = ?, last_at = ?, hash = ?, data = ? WHERE first_seq = 6",
		s.Last,
		s.LastAt,
		s.Hash[:],
		s.Data,
	)
	require.NoError(t, err)
	require.NoError(t, raw.Close())
}

func TestAnotherKeyDoesNotVerify(t *testing.T) {
	path := chainOf(t, 5)
	rep := verify(t, path, []byte("another key of thirty-two bytes!"))
	require.NotNil(t, rep.Broken)
	assert.Equal(t, int64(1), rep.Broken.Seq)
	assert.NotEmpty(t, rep.Broken.EventID)
	assert.Contains(t, rep.Broken.Reason, "does not match this key")
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	_, err = Verify(context.Background(), db, []byte("short"))
	require.ErrorContains(t, err, "too few")
	require.NoError(t, db.Close(context.Background()))
}

// Each byte of each column of some segments is flipped in turn; in the data, the record that holds the byte is named.
func TestEveryFlippedByteIsFound(t *testing.T) {
	path := chainOf(t, 12)
	raw, err := sql.Open("sqlite3", path+"?_synchronous=OFF") // some hundred writes that need not last
	require.NoError(t, err)
	raw.SetMaxOpenConns(1)
	defer func() { require.NoError(t, raw.Close()) }()
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(context.Background())) }()
	broken := func() *Break {
		proof, err := Verify(context.Background(), db, testKey)
		require.NoError(t, err)
		return only(t, proof).Broken
	}
	exec := func(query string, args ...any) {
		_, err := raw.Exec(query, args...)
		require.NoError(t, err)
	}
	flips := 0
	for first, last := range map[int64]int64{1: 1, 2: 5, 6: 9, 10: 12} {
		for _, col := range []string{"hash", "sig", "data"} {
			var value []byte
			require.NoError(t, raw.QueryRow("SELECT "+col+" FROM audit_segment WHERE first_seq = ?", first).Scan(&value))
			seq, end := last, len(value)
			if col == "data" {
				seq, end = first-1, 0
			}
			for i := range value {
				if i == end { // the next record
					size, n := binary.Uvarint(value[i:])
					seq, end = seq+1, i+n+int(size)+store.TagSize
				}
				changed := bytes.Clone(value)
				changed[i] ^= 1 << (i % 8)
				exec("UPDATE audit_segment SET "+col+" = ? WHERE first_seq = ?", changed, first)
				b := broken()
				require.NotNil(t, b, "%s of segment %d, byte %d", col, first, i)
				require.Equal(t, seq, b.Seq, "%s of segment %d, byte %d: %s", col, first, i, b)
				flips++
			}
			require.Equal(t, last, seq)
			exec("UPDATE audit_segment SET "+col+" = ? WHERE first_seq = ?", value, first)
		}
		for col, seq := range map[string]int64{"first_at": first, "last_at": last, "last_seq": last} {
			for bit := range 50 {
				exec("UPDATE audit_segment SET "+col+" = "+col+" + (1 << ?) WHERE first_seq = ?", bit, first)
				b := broken()
				require.NotNil(t, b)
				require.Equal(t, seq, b.Seq, "%s of segment %d, bit %d: %s", col, first, bit, b)
				exec("UPDATE audit_segment SET "+col+" = "+col+" - (1 << ?) WHERE first_seq = ?", bit, first)
			}
		}
		for bit := range 50 { // a number moved up leaves a hole, or comes after the end
			exec("UPDATE audit_segment SET first_seq = first_seq + ? WHERE first_seq = ?", int64(1000)<<bit, first)
			b := broken()
			require.NotNil(t, b)
			require.Equal(t, first, b.Seq)
			exec("UPDATE audit_segment SET first_seq = first_seq - ? WHERE first_seq = ?", int64(1000)<<bit, first+int64(1000)<<bit)
		}
	}
	assert.Greater(t, flips, 4*64)
	assert.Nil(t, broken(), "all is back in its place")
}

func BenchmarkVerify(b *testing.B) {
	path := filepath.Join(b.TempDir(), "audit.db")
	g, _ := start(b, path, testKey)
	for range 10_000 {
		require.NoError(b, g.log.Append(context.Background(), Event{Tenant: "acme", Type: GatewayRequest, Payload: response}))
	}
	g.stop(b, true)
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		proof, err := Verify(context.Background(), db, testKey)
		require.NoError(b, err)
		require.True(b, proof.Valid())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_002, "ns/record")
	require.NoError(b, db.Close(context.Background()))
}
