package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAuditEventsAreFoundByTimeTenantAndType(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		start := time.UnixMicro(1_700_000_000_000_000).UTC()
		now := start
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		w := newWriter(t, db, WriterOptions{})
		for i := range 60 {
			now = start.Add(time.Duration(i/3) * time.Second) // three in the same moment
			require.NoError(
				t,
				w.AppendAudit(
					ctx,
					[]string{"a", "b"}[i%2],
					[]string{"X", "Y", "Z"}[i%3],
					fmt.Appendf(nil, `{"request_id":"r%d","trace_id":"t%d","note":"r3"}`, i, i/2),
				),
			)
		}
		require.NoError(t, w.Sync(ctx))
		for name, c := range map[string]struct {
			f           AuditFilter
			n           int
			first, last int64
		}{
			"all":               {AuditFilter{}, 60, 60, 1},
			"a tenant":          {AuditFilter{Tenant: "a"}, 30, 59, 1},
			"a type":            {AuditFilter{Type: "Y"}, 20, 59, 2},
			"a span":            {AuditFilter{From: start.Add(2 * time.Second), To: start.Add(4 * time.Second)}, 6, 12, 7},
			"from the end":      {AuditFilter{From: start.Add(19 * time.Second)}, 3, 60, 58},
			"before the start":  {AuditFilter{To: start}, 0, 0, 0},
			"after the end":     {AuditFilter{From: start.Add(time.Hour)}, 0, 0, 0},
			"a page":            {AuditFilter{Limit: 5, Behind: AuditPlace{At: start.Add(10 * time.Second).UnixMicro(), Node: "n", Seq: 31}}, 5, 30, 26},
			"an exchange":       {AuditFilter{Exchange: "r3"}, 1, 4, 4},
			"a trace":           {AuditFilter{Exchange: "t10"}, 2, 22, 21},
			"no exchange":       {AuditFilter{Exchange: "r"}, 0, 0, 0},
			"everything at all": {AuditFilter{From: start.Add(-time.Hour), To: start.Add(time.Hour)}, 60, 60, 1},
		} {
			t.Run(name, func(t *testing.T) {
				var seqs []int64
				require.NoError(t, db.Audit().Visit(ctx, c.f, func(r *AuditRecord) error {
					seqs = append(seqs, r.Seq)
					return nil
				}))
				require.Len(t, seqs, c.n)
				if c.n > 0 {
					assert.Equal(t, []int64{c.first, c.last}, []int64{seqs[0], seqs[len(seqs)-1]})
				}
			})
		}
		counts, err := db.Audit().CountByType(ctx, "a")
		require.NoError(t, err)
		assert.Equal(t, map[string]int64{"X": 10, "Y": 10, "Z": 10}, counts)
	})
}

func TestAnEmptyChainHasNoEvents(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		db := openURL(t, url)
		err := db.Audit().Visit(context.Background(), AuditFilter{From: time.Now(), To: time.Now()}, func(*AuditRecord) error {
			return errors.New("the chain has an event")
		})
		require.NoError(t, err)
	})
}

func TestTwoProcessesMayWriteTraffic(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		var wg sync.WaitGroup
		for range 2 {
			db := openURL(t, url)
			w := newWriter(t, db, WriterOptions{Interval: time.Millisecond})
			wg.Go(func() {
				for n := range 200 {
					assert.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
					if n%10 == 9 { // many batches, between which the other's come
						assert.NoError(t, w.Sync(ctx))
					}
				}
			})
		}
		wg.Wait()
		db := openURL(t, url)
		assert.Equal(t, 400, records(t, db))
		head, err := db.Audit().GetHead(ctx, "n")
		require.NoError(t, err)
		assert.Equal(t, int64(400), head.Seq)
	})
}

func TestTokensGainBindingsAndTimes(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{})
		a, b, c := strings.Repeat("\x00", 16), strings.Repeat("b", 16), strings.Repeat("\xff", 16)
		now := time.UnixMicro(1_700_000_000_000_000).UTC()
		add := func(digest, sealed, bindings string, seen time.Time) {
			require.NoError(t, w.AppendToken(ctx, &VaultToken{
				Tenant: "t", Token: "tok", Kind: "EMAIL", Digest: []byte(digest), Sealed: []byte(sealed),
				Bindings: []byte(bindings), Seen: seen, Expires: seen.Add(time.Hour),
			}))
		}
		add("d", "sealed", a, now)
		add("d", "other sealing", b+a, now.Add(time.Minute))
		add("d", "other sealing", c, now.Add(-time.Minute))
		add("D", "another value", c, now.Add(time.Hour))
		require.Error(t, w.AppendToken(ctx, &VaultToken{Bindings: []byte("short")}))
		require.NoError(t, w.Sync(ctx))
		got, err := db.Vault().GetToken(ctx, "t", "tok", now)
		require.NoError(t, err)
		assert.Equal(t, VaultToken{
			Tenant: "t", Token: "tok", Kind: "EMAIL", Digest: []byte("d"), Sealed: []byte("sealed"), Bindings: []byte(a + b + c),
			Seen: now.Add(time.Minute), Expires: now.Add(time.Hour + time.Minute),
		}, got)
		_, err = db.Vault().GetToken(ctx, "t", "tok", now.Add(2*time.Hour))
		require.ErrorIs(t, err, ErrNotFound, "it has expired")
		n, err := db.Vault().DeleteExpired(ctx, now.Add(2*time.Hour), 10)
		require.NoError(t, err)
		assert.Equal(t, 1, n)
		assert.Zero(t, count(t, db, "vault_token"))
	})
}
