package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func TestExchangesAreListedNewestFirstEachOnceWhateverIsChosen(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		r := rand.New(rand.NewPCG(3, 5))
		var all []store.UsageRecord
		w := store.NewWriter(db, store.WriterOptions{})
		for i := range 400 {
			u := randomUsage(r, i)
			u.Latency, u.FirstByte = time.Duration(r.IntN(900))*time.Millisecond, 5*time.Millisecond
			require.NoError(t, w.AppendUsage(t.Context(), &u))
			all = append(all, u)
		}
		require.NoError(t, w.Close(t.Context()))
		slices.SortStableFunc(all, func(a, b store.UsageRecord) int { return b.At.Compare(a.At) })
		for _, f := range []store.ExchangeFilter{
			{},
			{Tenant: "t1"},
			{Tenant: "nobody"},
			{Model: "m2"},
			{Model: "m"},
			{ModelPart: "M"},
			{ModelPart: "2"},
			{ModelPart: "%"},
			{ModelPart: "_"},
			{ModelPart: "É"},
			{Outcome: "blocked"},
			{Status: 403, Tenant: "t0"},
			{From: costDay, To: costDay.Add(24 * time.Hour)},
			{ID: all[7].ExchangeID},
			{ID: "nothing"},
			{Tenant: "t2", To: costDay},
			{Tenant: "t2", From: costDay},
		} {
			var want, got []string
			for _, u := range all {
				if (f.ID == "" || f.ID == u.ExchangeID) && (f.Tenant == "" || f.Tenant == u.Tenant) &&
					(f.Model == "" || f.Model == u.Model || f.Model == u.ModelRequested) &&
					(f.ModelPart == "" || strings.Contains(strings.ToLower(u.Model+" "+u.ModelRequested), strings.ToLower(f.ModelPart))) &&
					(f.Outcome == "" || f.Outcome == u.Outcome) &&
					(f.Status == 0 || f.Status == u.Status) &&
					(f.From.IsZero() || !u.At.Before(f.From)) &&
					(f.To.IsZero() || u.At.Before(f.To)) {
					want = append(want, u.ExchangeID)
				}
			}
			var after *store.CostCursor
			last := time.Now().AddDate(9, 0, 0)
			for {
				list, looked, err := db.Usage().ListExchanges(t.Context(), f, after, 37)
				require.NoError(t, err)
				require.Nil(t, looked, "there are fewer than are looked at")
				for _, e := range list {
					assert.False(t, e.At.After(last))
					last, got = e.At, append(got, e.ID)
				}
				if len(list) < 37 {
					break
				}
				c := list[len(list)-1].Cursor()
				after = &c
			}
			assert.ElementsMatch(t, want, got, "%+v", f)
		}
		list, _, err := db.Usage().ListExchanges(t.Context(), store.ExchangeFilter{ID: all[0].ExchangeID}, nil, 1)
		require.NoError(t, err)
		u, e := all[0], list[0]
		assert.Equal(
			t,
			u.Tenant+u.KeyID+u.ModelRequested+u.Provider+u.Model+u.Outcome,
			e.Tenant+e.Key+e.ModelRequested+e.Provider+e.Model+e.Outcome,
		)
		assert.Equal(t, u.Latency, e.Latency)
		assert.Equal(t, u.FirstByte, e.FirstByte)
		assert.Equal(t, u.Input, e.Input)
		assert.Equal(t, u.At, e.At)
	})
}
