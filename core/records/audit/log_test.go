package audit

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

var testKey = []byte("0123456789abcdef0123456789abcdef")

// gateway is one run of a process on a database.
type gateway struct {
	db  *store.DB
	w   *store.Writer
	log *Log
}

func start(t testing.TB, path string, key []byte) (gateway, Start) {
	t.Helper()
	return startWith(t, path, key, store.WriterOptions{})
}

func startWith(t testing.TB, path string, key []byte, options store.WriterOptions) (gateway, Start) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	w := store.NewWriter(db, options)
	log, found, err := Open(ctx, db, w, key)
	require.NoError(t, err)
	return gateway{db, w, log}, found
}

// stop ends the run, in order or as a crash would.
func (g gateway) stop(t testing.TB, clean bool) {
	t.Helper()
	ctx := context.Background()
	if clean {
		require.NoError(t, g.log.Close(ctx))
	}
	require.NoError(t, g.w.Close(ctx))
	require.NoError(t, g.db.Close(ctx))
}

func verify(t testing.TB, path string, key []byte) Report {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	proof, err := Verify(ctx, db, key)
	require.NoError(t, err)
	require.NoError(t, db.Close(ctx))
	return only(t, proof)
}

// only returns the report on the only chain, or an empty report if there is no chain.
func only(t testing.TB, p Proof) Report {
	t.Helper()
	if len(p.Chains) == 0 {
		return Report{}
	}
	require.Len(t, p.Chains, 1)
	return p.Chains[0]
}

// chainOf creates a database whose chain has n records: first a start, last a shutdown and a checkpoint. The first record
// fills a segment alone; the others are in segments of four.
func chainOf(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.db")
	g, _ := startWith(t, path, testKey, store.WriterOptions{Interval: time.Hour}) // only Sync ends a segment, however slow the machine is
	for i := range n - 3 {
		e := Event{Tenant: "acme", Type: GatewayRequest, Payload: fmt.Appendf(nil, `{"n":%d}`, i)}
		require.NoError(t, g.log.Append(context.Background(), e))
		if i%4 == 3 {
			require.NoError(t, g.log.Sync(context.Background()))
		}
	}
	g.stop(t, true)
	return path
}

// tamper changes the database behind Headgate's back.
func tamper(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	require.NoError(t, err)
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
	require.NoError(t, db.Close())
}

func TestAChainOfTenThousandRecordsVerifies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	g, found := start(t, path, testKey)
	assert.Equal(t, Start{Clean: true}, found)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2500 {
				assert.NoError(t, g.log.Append(context.Background(), Event{Tenant: "t", Type: GatewayRequest, Payload: []byte(`{}`)}))
			}
		})
	}
	wg.Wait()
	require.NoError(t, g.log.Sync(context.Background()))
	proof, err := Verify(context.Background(), g.db, testKey) // while the gateway runs
	require.NoError(t, err)
	rep := only(t, proof)
	assert.Nil(t, rep.Broken)
	assert.Equal(t, int64(10_003), rep.Records)
	g.stop(t, true)
	rep = verify(t, path, testKey)
	assert.True(t, rep.Valid())
	assert.Equal(t, int64(10_005), rep.Records)
	assert.Equal(t, map[string]int64{GatewayRequest: 10_000, ChainOpened: 1, ChainClosed: 1, ChainCheckpoint: 3}, rep.ByType)
	assert.Equal(t, [2]int64{1, 10_005}, [2]int64{rep.First, rep.Last})
	assert.Equal(t, int64(10_004), rep.Signed)
	assert.Equal(t, int64(1), rep.Starts)
	assert.Empty(t, rep.Gaps)
}

func TestAnEmptyChainIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	rep := verify(t, path, testKey)
	assert.True(t, rep.Valid())
	assert.Zero(t, rep.Records)
}

func TestTheNextStartContinuesTheChainAndNamesAGap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	for run, c := range []struct {
		before, clean bool // how the run before ended, how this one ends
	}{{true, true}, {true, false}, {false, true}, {true, false}} {
		g, found := start(t, path, testKey)
		assert.Equal(t, c.before, found.Clean, "run %d", run)
		require.NoError(t, g.log.Append(context.Background(), Event{Type: AuthSuccess, Payload: []byte(`{}`)}))
		g.stop(t, c.clean)
	}
	rep := verify(t, path, testKey)
	assert.Nil(t, rep.Broken)
	assert.Equal(t, int64(4), rep.Starts)
	require.Len(t, rep.Gaps, 1)
	assert.Equal(t, int64(7), rep.Gaps[0].After)
	assert.False(t, rep.Gaps[0].To.Before(rep.Gaps[0].From))
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	var payloads []string
	require.NoError(t, db.Audit().Visit(context.Background(), store.AuditFilter{Type: ChainOpened}, func(r *store.AuditRecord) error {
		payloads = append(payloads, r.Payload)
		return nil
	}))
	require.NoError(t, db.Close(context.Background()))
	require.Len(t, payloads, 4)
	assert.Contains(t, payloads[1], `"clean":false,"previous_seq":7,"previous_at":"`)
	assert.Contains(t, payloads[1], `"gap":`)
	assert.JSONEq(t, fmt.Sprintf(`{"node":%q,"clean":true,"previous_seq":0}`, rep.Node), payloads[3])
}

func TestACommandAddsToTheChainOfARunningGateway(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "audit.db")
	g, _ := start(t, path, testKey)
	for range 3 {
		require.NoError(t, g.log.Append(ctx, Event{Type: GatewayRequest, Payload: []byte(`{}`)}))
		require.NoError(t, g.log.Sync(ctx))
		db, err := store.Open(ctx, "sqlite:"+path)
		require.NoError(t, err)
		w := store.NewWriter(db, store.WriterOptions{})
		guest, err := OpenGuest(ctx, db, w, testKey)
		require.NoError(t, err)
		require.NoError(t, guest.Append(ctx, Event{Type: ConfigImported, Payload: []byte(`{}`)}))
		require.NoError(t, guest.Close(ctx))
		require.NoError(t, w.Close(ctx))
		require.NoError(t, db.Close(ctx))
	}
	g.stop(t, true)
	rep := verify(t, path, testKey)
	assert.Nil(t, rep.Broken)
	assert.Equal(t, map[string]int64{GatewayRequest: 3, ConfigImported: 3, ChainOpened: 1, ChainClosed: 1, ChainCheckpoint: 4}, rep.ByType)
	assert.Empty(t, rep.Gaps)
}

func TestOpenRefusesAChainItCannotContinue(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		key  []byte
		sql  string
		want string
	}{
		"another key":     {[]byte("another key of thirty-two bytes!"), "", "another key"},
		"a short key":     {[]byte("short"), "", "too few"},
		"a changed head":  {testKey, "UPDATE audit_head SET seq = seq - 1", "head"},
		"no head":         {testKey, "DELETE FROM audit_head", "no head"},
		"a head cut off":  {testKey, "UPDATE audit_head SET sig = x'00'", "head"},
		"a head of today": {testKey, "UPDATE audit_head SET at = at + 1", "head"},
	} {
		t.Run(name, func(t *testing.T) {
			path := chainOf(t, 5)
			if c.sql != "" {
				tamper(t, path, c.sql)
			}
			db, err := store.Open(ctx, "sqlite:"+path)
			require.NoError(t, err)
			w := store.NewWriter(db, store.WriterOptions{})
			_, _, err = Open(ctx, db, w, c.key)
			require.ErrorContains(t, err, c.want)
			require.NoError(t, w.Close(ctx))
			require.NoError(t, db.Close(ctx))
		})
	}
}

func TestAHeadThatGoesBackUnderARunningGatewayStopsIt(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "audit.db")
	g, _ := start(t, path, testKey)
	tamper(t, path, "CREATE TABLE old AS SELECT * FROM audit_head")
	require.NoError(t, g.log.Append(ctx, Event{Type: GatewayRequest, Payload: []byte(`{}`)}))
	require.NoError(t, g.log.Sync(ctx))
	tamper(t, path, "DELETE FROM audit_segment WHERE first_seq > 1", "REPLACE INTO audit_head SELECT * FROM old")
	require.NoError(t, g.log.Append(ctx, Event{Type: GatewayRequest, Payload: []byte(`{}`)}))
	soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	require.Error(t, g.log.Sync(soon))
	require.ErrorIs(t, g.w.Close(soon), ErrHead)
	require.NoError(t, g.db.Close(ctx))
}

func TestTimesNeverFallWhateverTheClockDoes(t *testing.T) {
	ctx := context.Background()
	now := time.UnixMicro(1_700_000_000_000_000)
	db, err := store.Open(ctx, "sqlite::memory:", store.WithClock(func() time.Time { return now }))
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{})
	log, _, err := Open(ctx, db, w, testKey)
	require.NoError(t, err)
	now = now.Add(-time.Hour)
	require.NoError(t, log.Append(ctx, Event{Type: AuthFailure, Payload: []byte(`{}`)}))
	require.NoError(t, log.Close(ctx))
	proof, err := Verify(ctx, db, testKey)
	require.NoError(t, err)
	rep := only(t, proof)
	assert.Nil(t, rep.Broken)
	assert.Equal(t, now.Add(time.Hour).UnixMicro(), rep.LastTime.UnixMicro())
	require.NoError(t, w.Close(ctx))
	require.NoError(t, db.Close(ctx))
}
