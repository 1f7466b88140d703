package audit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// fleet opens one database with a log for each node, whose clocks are all now.
type fleet struct {
	db   *store.DB
	ws   []*store.Writer
	logs []*Log
	now  time.Time
}

func openFleet(t testing.TB, path string, nodes ...string) *fleet {
	t.Helper()
	ctx := context.Background()
	f := &fleet{now: time.UnixMicro(1_700_000_000_000_000)}
	var err error
	f.db, err = store.Open(ctx, "sqlite:"+path, store.WithClock(func() time.Time { return f.now }))
	require.NoError(t, err)
	for _, n := range nodes {
		w := store.NewWriter(f.db, store.WriterOptions{})
		l, _, err := Open(ctx, f.db, w, testKey, WithNode(n))
		require.NoError(t, err)
		f.ws, f.logs = append(f.ws, w), append(f.logs, l)
	}
	return f
}

func (f *fleet) add(t testing.TB, node int, tenant, kind, payload string) {
	t.Helper()
	require.NoError(t, f.logs[node].Append(context.Background(), Event{Tenant: tenant, Type: kind, Payload: []byte(payload)}))
}

func (f *fleet) sync(t testing.TB) {
	t.Helper()
	for _, l := range f.logs {
		require.NoError(t, l.Sync(context.Background()))
	}
}

func (f *fleet) close(t testing.TB) {
	t.Helper()
	for i := range f.logs {
		require.NoError(t, f.logs[i].Close(context.Background()))
		require.NoError(t, f.ws[i].Close(context.Background()))
	}
	require.NoError(t, f.db.Close(context.Background()))
}

func (f *fleet) proof(t testing.TB) Proof {
	t.Helper()
	p, err := Verify(context.Background(), f.db, testKey)
	require.NoError(t, err)
	return p
}

func TestEachNodeHasAChainOfItsOwn(t *testing.T) {
	f := openFleet(t, filepath.Join(t.TempDir(), "x.db"), "a", "b", "c")
	var wg sync.WaitGroup
	for i := range f.logs {
		wg.Go(func() {
			for range 500 {
				assert.NoError(t, f.logs[i].Append(context.Background(), Event{Tenant: "t", Type: GatewayRequest, Payload: []byte(`{}`)}))
			}
		})
	}
	wg.Wait()
	f.sync(t)
	p := f.proof(t)
	require.True(t, p.Valid())
	require.Len(t, p.Chains, 3)
	for _, c := range p.Chains {
		assert.EqualValues(t, 500, c.ByType[GatewayRequest])
		assert.EqualValues(t, 501, c.Records)
	}
	assert.EqualValues(t, 1503, p.Records())
	n, err := f.db.Usage().CountGoverned(context.Background(), f.now)
	require.NoError(t, err)
	assert.EqualValues(t, 1500, n)
	f.close(t)
}

func TestARecordOfAnotherNodesChainDoesNotPass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := openFleet(t, path, "a", "b")
	f.close(t)
	tamper(t, path, "DELETE FROM audit_segment WHERE node = 'b'",
		"INSERT INTO audit_segment SELECT 'b', first_seq, last_seq, first_at, last_at, hash, sig, data FROM audit_segment WHERE node = 'a'")
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	p, err := Verify(context.Background(), db, testKey)
	require.NoError(t, err)
	require.NoError(t, db.Close(context.Background()))
	require.Len(t, p.Chains, 2)
	assert.True(t, p.Chains[0].Valid())
	require.NotNil(t, p.Chains[1].Broken)
	assert.EqualValues(t, 1, p.Chains[1].Broken.Seq)
}

// An attacker restores an old copy of a node's rows, including its signed head. That chain alone verifies.
func TestANodeIsWitnessOfWhatWasCutOffAnothersChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := openFleet(t, path, "a", "b")
	tamper(
		t,
		path,
		"CREATE TABLE old_head AS SELECT * FROM audit_head WHERE node = 'a'",
		"CREATE TABLE old_segment AS SELECT * FROM audit_segment WHERE node = 'a'",
	)
	f.add(t, 0, "t", TenantScopeViolation, `{"actor":"user:1"}`)
	f.sync(t)
	require.NoError(t, f.logs[1].WriteCheckpoint(context.Background()))
	f.close(t)
	tamper(t, path, "DELETE FROM audit_segment WHERE node = 'a'", "INSERT INTO audit_segment SELECT * FROM old_segment",
		"DELETE FROM audit_head WHERE node = 'a'", "INSERT INTO audit_head SELECT * FROM old_head")
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(context.Background())) }()
	alone, err := VerifyChain(context.Background(), db, testKey, "a")
	require.NoError(t, err)
	assert.Nil(t, alone.Broken, "without the other chain it looks whole")
	p, err := Verify(context.Background(), db, testKey)
	require.NoError(t, err)
	require.NotNil(t, p.Chains[0].Broken)
	assert.Contains(t, p.Chains[0].Broken.Reason, `node "b" has seen`)
	assert.True(t, p.Chains[1].Valid())
	tamper(t, path, "DELETE FROM audit_segment WHERE node = 'a'", "DELETE FROM audit_head WHERE node = 'a'")
	p, err = Verify(context.Background(), db, testKey)
	require.NoError(t, err)
	require.False(t, p.Valid(), "also when the chain is gone")
}

func TestAListOfAllNodesIsInOrderAndHasPages(t *testing.T) {
	ctx := context.Background()
	f := openFleet(t, filepath.Join(t.TempDir(), "x.db"), "a", "b", "c")
	for i := range 300 {
		f.now = f.now.Add(time.Duration(i%3) * time.Millisecond) // often the same moment
		f.add(t, (i*7)%3, []string{"t1", "t2"}[i%2], []string{GatewayRequest, GatewayResponse, AuthFailure}[i%3], fmt.Sprintf(`{"n":%d}`, i))
		if i%50 == 0 {
			f.sync(t)
			require.NoError(t, f.logs[i%3].WriteCheckpoint(ctx))
		}
	}
	f.sync(t)
	for name, filter := range map[string]store.AuditFilter{
		"all": {}, "a tenant": {Tenant: "t1"}, "a type": {Type: AuthFailure}, "both": {Tenant: "t2", Type: GatewayResponse},
		"a span":      {From: f.now.Add(-100 * time.Millisecond), To: f.now.Add(-20 * time.Millisecond)},
		"an old span": {To: f.now.Add(-150 * time.Millisecond), Tenant: "t1"},
	} {
		t.Run(name, func(t *testing.T) {
			var whole, paged []store.AuditPlace
			require.NoError(t, f.db.Audit().Visit(ctx, filter, func(r *store.AuditRecord) error {
				whole = append(whole, r.Place())
				return nil
			}))
			require.NotEmpty(t, whole)
			assert.True(t, slices.IsSortedFunc(whole, func(a, b store.AuditPlace) int { return int(b.At - a.At) }))
			filter.Limit = 7
			for {
				n := len(paged)
				require.NoError(t, f.db.Audit().Visit(ctx, filter, func(r *store.AuditRecord) error {
					paged = append(paged, r.Place())
					return nil
				}))
				if len(paged) == n {
					break
				}
				filter.Behind = paged[len(paged)-1]
			}
			assert.Equal(t, whole, paged)
		})
	}
	f.close(t)
}

func export(t testing.TB, db *store.DB, f store.AuditFilter) (asJSON, asCSV string) {
	t.Helper()
	var j, c bytes.Buffer
	require.NoError(t, WriteJSON(context.Background(), &j, db, f))
	require.NoError(t, WriteCSV(context.Background(), &c, db, f))
	return j.String(), c.String()
}

func TestAnExportIsProvenWithoutTheDatabase(t *testing.T) {
	f := openFleet(t, filepath.Join(t.TempDir(), "x.db"), "a", "b")
	for i := range 40 {
		f.now = f.now.Add(time.Second)
		f.add(t, i%2, `=cmd|' /c calc'!A0`, GatewayRequest, fmt.Sprintf(`{"model":"é \"m\", n","n":%d}`, i))
		if i%10 == 9 {
			require.NoError(t, f.logs[0].WriteCheckpoint(context.Background()))
			require.NoError(t, f.logs[1].WriteCheckpoint(context.Background()))
		}
	}
	f.sync(t)
	public, err := DerivePublicKey(testKey)
	require.NoError(t, err)
	asJSON, asCSV := export(t, f.db, store.AuditFilter{})
	assert.NotContains(t, asCSV, ",=", "no cell is a formula")
	assert.True(t, strings.HasPrefix(asCSV, "event_id,timestamp,tenant_id,event_type,payload\n"))
	for form, text := range map[string]string{"json": asJSON, "csv": asCSV} {
		t.Run(form, func(t *testing.T) {
			rep, err := VerifyExport(strings.NewReader(text), public, nil)
			require.NoError(t, err)
			require.Len(t, rep.Chains, 2)
			assert.True(t, rep.Valid())
			for _, c := range rep.Chains {
				assert.Nil(t, c.Broken)
				assert.True(t, c.Whole)
				assert.EqualValues(t, 1, c.From)
				assert.Equal(t, c.Last-1, c.Through, "all but the last checkpoint itself is proven")
				assert.Zero(t, c.Authentic, "the public key says nothing of single records")
			}
			rep, err = VerifyExport(strings.NewReader(text), nil, testKey)
			require.NoError(t, err)
			assert.Equal(t, rep.Records, rep.Chains[0].Authentic+rep.Chains[1].Authentic)

			changed := strings.Replace(text, `n\":17`, `n\":71`, 1)
			changed = strings.Replace(changed, `"n":17`, `"n":71`, 1)
			changed = strings.Replace(changed, `""n"":17`, `""n"":71`, 1)
			require.NotEqual(t, text, changed)
			for _, key := range [][]byte{nil, testKey} {
				rep, err = VerifyExport(strings.NewReader(changed), public, key)
				require.NoError(t, err)
				assert.False(t, rep.Valid())
			}
			lines := strings.SplitAfter(text, "\n")
			at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `n":17`) || strings.Contains(l, `n"":17`) })
			rep, err = VerifyExport(strings.NewReader(strings.Join(slices.Delete(lines, at, at+1), "")), public, nil)
			require.NoError(t, err)
			assert.False(t, rep.Chains[0].Whole && rep.Chains[1].Whole, "a missing record is told")
			_, err = VerifyExport(strings.NewReader(text[:len(text)/2]), public, nil)
			require.Error(t, err, "cut off")
		})
	}
	filtered, _ := export(t, f.db, store.AuditFilter{Type: GatewayRequest})
	rep, err := VerifyExport(strings.NewReader(filtered), nil, testKey)
	require.NoError(t, err)
	assert.True(t, rep.Valid())
	assert.EqualValues(t, 40, rep.Chains[0].Authentic+rep.Chains[1].Authentic, "each chain is checked separately, although others are filtered out")
	other := bytes.Repeat([]byte("k"), 32)
	rep, err = VerifyExport(strings.NewReader(asJSON), nil, other)
	require.NoError(t, err)
	assert.False(t, rep.Valid(), "another key")
	f.close(t)
}

func TestRetentionLeavesAChainThatIsProven(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	f := openFleet(t, path, "a", "b")
	for day := range 10 {
		f.now = f.now.Add(24 * time.Hour)
		for n := range 2 {
			f.add(t, n, "t", GatewayRequest, fmt.Sprintf(`{"day":%d}`, day))
			require.NoError(t, f.logs[n].WriteCheckpoint(ctx))
		}
	}
	f.sync(t)
	before := f.proof(t)
	require.True(t, before.Valid())
	done, err := f.logs[0].Trim(ctx, testKey, f.now, 3*24*time.Hour-time.Hour)
	require.NoError(t, err)
	require.Len(t, done, 2)
	p := f.proof(t)
	require.True(t, p.Valid(), "%v %v", p.Chains[0].Broken, p.Chains[1].Broken)
	for i, c := range p.Chains {
		require.NotNil(t, c.Removed)
		assert.EqualValues(t, 7, c.Removed.ByType[GatewayRequest])
		assert.Equal(t, done[i].Removed, c.Removed.ByType)
		assert.EqualValues(t, 3, c.ByType[GatewayRequest])
		assert.Equal(t, c.Removed.Through+1, c.First)
	}
	sum := maps.Clone(p.ByType())
	for _, c := range p.Chains {
		for kind, n := range c.Removed.ByType {
			sum[kind] += n
		}
	}
	assert.Equal(t, before.ByType()[GatewayRequest], sum[GatewayRequest])

	again, err := f.logs[0].Trim(ctx, testKey, f.now, 3*24*time.Hour-time.Hour)
	require.NoError(t, err)
	assert.Empty(t, again, "there is nothing older")
	f.now = f.now.Add(24 * time.Hour)
	done, err = f.logs[1].Trim(ctx, testKey, f.now, 2*24*time.Hour)
	require.NoError(t, err)
	require.Len(t, done, 2)
	p = f.proof(t)
	require.True(t, p.Valid())
	assert.Greater(t, p.Chains[0].Removed.ByType[GatewayRequest], int64(7), "counts go on from before")

	public, err := DerivePublicKey(testKey)
	require.NoError(t, err)
	asJSON, _ := export(t, f.db, store.AuditFilter{})
	rep, err := VerifyExport(strings.NewReader(asJSON), public, nil)
	require.NoError(t, err)
	for _, c := range rep.Chains {
		assert.Nil(t, c.Broken)
		assert.Equal(t, c.First-1, c.Removed)
		assert.Equal(t, c.First, c.From, "proven from its new start on")
	}
	f.close(t)

	for name, sql := range map[string]string{
		"more removed than retention has": "DELETE FROM audit_segment WHERE node = 'a' AND first_seq = (SELECT min(first_seq) FROM audit_segment WHERE node = 'a')",
		"another start":                   "UPDATE audit_base SET seq = seq + 1",
		"other counts":                    `UPDATE audit_base SET counts = '{"GATEWAY_REQUEST":1}'`,
		"the start forgotten":             "DELETE FROM audit_base",
	} {
		t.Run(name, func(t *testing.T) {
			copied := filepath.Join(t.TempDir(), "y.db")
			tamper(t, path, "VACUUM INTO '"+copied+"'")
			tamper(t, copied, sql)
			db, err := store.Open(ctx, "sqlite:"+copied)
			require.NoError(t, err)
			p, err := Verify(ctx, db, testKey)
			require.NoError(t, err)
			assert.False(t, p.Valid())
			require.NoError(t, db.Close(ctx))
		})
	}
}

func TestABrokenChainIsNotTrimmed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	f := openFleet(t, path, "a")
	f.add(t, 0, "t", GatewayRequest, `{"n":1}`)
	require.NoError(t, f.logs[0].WriteCheckpoint(context.Background()))
	f.sync(t)
	tamper(t, path, `UPDATE audit_segment SET data = CAST(replace(data, '"n"', '"m"') AS BLOB)`)
	f.now = f.now.Add(time.Hour)
	done, err := f.logs[0].Trim(context.Background(), testKey, f.now, time.Minute)
	require.ErrorContains(t, err, "broken")
	assert.Empty(t, done)
	f.close(t)
}

func TestCellsComeBackAsTheyWere(t *testing.T) {
	for _, cell := range []string{"", "a", "=1+1", "'=1", "''", "'", "+x", "-x", "@x", "\tx", "\rx", "'x", `{"a":1}`, "a=b"} {
		g := guardCell(cell)
		assert.Equal(t, cell, unguardCell(g), "%q", cell)
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			assert.Equal(t, byte('\''), g[0])
		}
	}
}

func FuzzCells(f *testing.F) {
	f.Add("=1")
	f.Add("''=")
	f.Fuzz(func(t *testing.T, cell string) { assert.Equal(t, cell, unguardCell(guardCell(cell))) })
}

func FuzzExport(f *testing.F) {
	f.Add("event_id,timestamp,tenant_id,event_type,payload\na-1-0102030405060708,2026-01-01T00:00:00.000000Z,t,X,{}\n")
	f.Add(
		`[{"eventId":"a-1-0102030405060708","timestamp":"2026-01-01T00:00:00.000000Z","tenantId":null,"eventType":"CHAIN_CHECKPOINT","payload":{}}]`,
	)
	f.Fuzz(func(t *testing.T, text string) {
		rep, err := VerifyExport(strings.NewReader(text), nil, testKey)
		for _, c := range rep.Chains {
			assert.False(t, err == nil && c.Node != "" && c.Broken == nil, "nothing without the key holds")
		}
		require.NoError(t, readAll(strings.NewReader(text)))
	})
}

// readAll checks that what can be read is the same when it is read again.
func readAll(in io.ReadSeeker) error {
	var first []store.AuditRecord
	if readExport(in, func(_ int, r *store.AuditRecord) error { first = append(first, *r); return nil }) != nil {
		return nil
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n := 0
	return readExport(in, func(_ int, r *store.AuditRecord) error {
		if first[n] != *r {
			return fmt.Errorf("record %d is another one", n)
		}
		n++
		return nil
	})
}
