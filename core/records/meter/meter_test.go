package meter

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestUsageIsBookedAndSummed(t *testing.T) {
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{})
	m := New(db, w)
	now := time.Now()
	for i, r := range []Record{
		{Tenant: "a", KeyID: "k1", EndUser: "u", Input: 10, Output: 5, Cached: 2, Reasoning: 1, Counted: true, At: now},
		{Tenant: "a", KeyID: "k2", Input: 7, Output: 3, Counted: true, Streamed: true, At: now.Add(time.Hour)},
		{Tenant: "a", KeyID: "k2", Outcome: "blocked", Status: 403, At: now},
		{Tenant: "b", Input: 100, Output: 100, Counted: true},
	} {
		r.ExchangeID = string(rune('a' + i))
		require.NoError(t, m.Append(ctx, &r))
	}
	require.NoError(t, w.Sync(ctx))
	for name, c := range map[string]struct {
		f    Filter
		want Totals
	}{
		"all":             {Filter{}, Totals{Records: 4, Counted: 3, Streamed: 1, Input: 117, Output: 108, Cached: 2, Reasoning: 1}},
		"a tenant":        {Filter{Tenant: "a"}, Totals{Records: 3, Counted: 2, Streamed: 1, Input: 17, Output: 8, Cached: 2, Reasoning: 1}},
		"a key":           {Filter{Tenant: "a", KeyID: "k2"}, Totals{Records: 2, Counted: 1, Streamed: 1, Input: 7, Output: 3}},
		"an end user":     {Filter{EndUser: "u"}, Totals{Records: 1, Counted: 1, Input: 10, Output: 5, Cached: 2, Reasoning: 1}},
		"a span of time":  {Filter{Tenant: "a", From: now.Add(time.Minute)}, Totals{Records: 1, Counted: 1, Streamed: 1, Input: 7, Output: 3}},
		"nothing in span": {Filter{To: now.Add(-time.Hour)}, Totals{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := m.ReadTotals(ctx, c.f)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	require.NoError(t, w.Close(ctx))
	require.ErrorIs(t, m.Append(ctx, &Record{}), store.ErrClosed)
	require.NoError(t, db.Close(ctx))
}
