package audit

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/store"
)

func TestTamperingIsFoundAtTheRightRecord(t *testing.T) {
	const copyOf = "INSERT INTO audit_event SELECT %d, at, tenant_id, event_type, payload, hash, sig FROM audit_event WHERE seq = %d"
	for name, c := range map[string]struct {
		sql    []string
		seq    int64
		reason string
	}{
		"a record deleted":           {[]string{"DELETE FROM audit_event WHERE seq = 7"}, 7, "it is missing"},
		"records deleted":            {[]string{"DELETE FROM audit_event WHERE seq BETWEEN 7 AND 9"}, 7, "records 7 to 9 are missing"},
		"the first one deleted":      {[]string{"DELETE FROM audit_event WHERE seq = 1"}, 1, "it is missing"},
		"all of them deleted":        {[]string{"DELETE FROM audit_event"}, 1, "records 1 to 20 are missing at the end"},
		"one deleted and renumbered": {[]string{"DELETE FROM audit_event WHERE seq = 7", "UPDATE audit_event SET seq = seq - 1 WHERE seq > 7"}, 7, "content"},
		"two swapped": {[]string{
			"UPDATE audit_event SET seq = 100 WHERE seq = 5", "UPDATE audit_event SET seq = 5 WHERE seq = 6",
			"UPDATE audit_event SET seq = 6 WHERE seq = 100",
		}, 5, "content"},
		"one put in between": {[]string{
			"UPDATE audit_event SET seq = seq + 1000 WHERE seq > 9", fmt.Sprintf(copyOf, 10, 4),
			"UPDATE audit_event SET seq = seq - 999 WHERE seq > 1000",
		}, 10, "content"},
		"one put at the end":            {[]string{fmt.Sprintf(copyOf, 21, 20)}, 21, "content"},
		"one put at the start":          {[]string{fmt.Sprintf(copyOf, 0, 1)}, 0, "number"},
		"the end cut off":               {[]string{"DELETE FROM audit_event WHERE seq > 17"}, 18, "records 18 to 20 are missing at the end"},
		"the last one cut off":          {[]string{"DELETE FROM audit_event WHERE seq = 20"}, 20, "it is missing at the end"},
		"the end cut off with a head":   {[]string{"DELETE FROM audit_event WHERE seq > 17", "UPDATE audit_head SET seq = 17, (at, hash, sig) = (SELECT at, hash, sig FROM audit_event WHERE seq = 17)"}, 17, "head of the chain was changed"},
		"the head deleted":              {[]string{"DELETE FROM audit_head"}, 20, "head of the chain is missing"},
		"the head changed":              {[]string{"UPDATE audit_head SET at = at + 1"}, 20, "head of the chain was changed"},
		"an old record taken once more": {[]string{"UPDATE audit_event SET (payload, hash, sig) = (SELECT payload, hash, sig FROM audit_event WHERE seq = 3) WHERE seq = 8"}, 8, "content"},
		"a text moved between columns":  {[]string{"UPDATE audit_event SET tenant_id = tenant_id || 'G', event_type = substr(event_type, 2) WHERE seq = 11"}, 11, "content"},
		"a signature cut short":         {[]string{"UPDATE audit_event SET sig = substr(sig, 1, 31) WHERE seq = 11"}, 11, "length"},
		"a hash cut short":              {[]string{"UPDATE audit_event SET hash = x'' WHERE seq = 11"}, 11, "length"},
	} {
		t.Run(name, func(t *testing.T) {
			path := chainOf(t, 20)
			tamper(t, path, c.sql...)
			rep := verify(t, path, testKey)
			require.NotNil(t, rep.Broken)
			assert.Equal(t, c.seq, rep.Broken.Seq)
			assert.Contains(t, rep.Broken.Reason, c.reason)
			assert.Contains(t, rep.Broken.String(), fmt.Sprintf("record %d", c.seq))
		})
	}
}

func TestAnotherKeyDoesNotVerify(t *testing.T) {
	path := chainOf(t, 5)
	rep := verify(t, path, []byte("another key of thirty-two bytes!"))
	require.NotNil(t, rep.Broken)
	assert.Equal(t, int64(1), rep.Broken.Seq)
	assert.NotEmpty(t, rep.Broken.EventID)
	assert.Contains(t, rep.Broken.Reason, "does not fit this key")
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	_, err = Verify(context.Background(), db, []byte("short"))
	require.ErrorContains(t, err, "too few")
	require.NoError(t, db.Close(context.Background()))
}

// Each byte of each column of some records is flipped in turn.
func TestEveryFlippedByteIsFound(t *testing.T) {
	path := chainOf(t, 6)
	raw, err := sql.Open("sqlite3", path+"?_synchronous=OFF") // some hundred writes that need not last
	require.NoError(t, err)
	raw.SetMaxOpenConns(1)
	defer func() { require.NoError(t, raw.Close()) }()
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(context.Background())) }()
	broken := func() *Break {
		rep, err := Verify(context.Background(), db, testKey)
		require.NoError(t, err)
		return rep.Broken
	}
	exec := func(query string, args ...any) {
		_, err := raw.Exec(query, args...)
		require.NoError(t, err)
	}
	flips := 0
	for _, seq := range []int64{1, 3, 6} {
		for _, col := range []string{"tenant_id", "event_type", "payload", "hash", "sig"} {
			var value []byte
			require.NoError(t, raw.QueryRow("SELECT CAST("+col+" AS BLOB) FROM audit_event WHERE seq = ?", seq).Scan(&value))
			cast := "CAST(? AS TEXT)"
			if col == "hash" || col == "sig" {
				cast = "?"
			}
			for i := range value {
				changed := append([]byte(nil), value...)
				changed[i] ^= 1 << (i % 8)
				exec("UPDATE audit_event SET "+col+" = "+cast+" WHERE seq = ?", changed, seq)
				b := broken()
				require.NotNil(t, b, "%s of record %d, byte %d", col, seq, i)
				require.Equal(t, seq, b.Seq, "%s of record %d, byte %d", col, seq, i)
				flips++
			}
			exec("UPDATE audit_event SET "+col+" = "+cast+" WHERE seq = ?", value, seq)
		}
		for bit := range 50 {
			exec("UPDATE audit_event SET at = at + (1 << ?) WHERE seq = ?", bit, seq)
			b := broken()
			require.NotNil(t, b)
			require.Equal(t, seq, b.Seq)
			exec("UPDATE audit_event SET at = at - (1 << ?) WHERE seq = ?", bit, seq)
		}
	}
	assert.Greater(t, flips, 3*64)
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
		rep, err := Verify(context.Background(), db, testKey)
		require.NoError(b, err)
		require.Nil(b, rep.Broken)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_002, "ns/record")
	require.NoError(b, db.Close(context.Background()))
}
