package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// costDay is the middle of a random span of records.
var costDay = time.Date(2026, 11, 10, 0, 0, 0, 0, time.UTC)

// randomUsage is a record of few tenants, keys and models, so that sums have much in them, over five days.
func randomUsage(r *rand.Rand, i int) store.UsageRecord {
	u := store.UsageRecord{
		ExchangeID: fmt.Sprintf("%032x", i), Tenant: fmt.Sprint("t", r.IntN(3)), KeyID: fmt.Sprint("k", r.IntN(4)), Dialect: "openai.chat",
		ModelRequested: "m", Outcome: "served", Status: 200,
		At: costDay.Add(time.Duration(r.Int64N(int64(120 * time.Hour)))).Add(-60 * time.Hour).Truncate(time.Microsecond),
	}
	if r.IntN(8) == 0 { // refused: it used nothing
		u.Outcome, u.Status, u.Priced = "blocked", 403, true
		return u
	}
	u.Provider, u.Model, u.PriceID = fmt.Sprint("p", r.IntN(2)), fmt.Sprint("m", r.IntN(3)), fmt.Sprint("price", r.IntN(2))
	u.Input, u.Output, u.Counted = r.Int64N(1e6), r.Int64N(1e5), true
	u.Cached, u.Reasoning = r.Int64N(u.Input+1), r.Int64N(u.Output+1)
	if u.Priced = r.IntN(10) > 0; u.Priced {
		u.InputCost = r.Int64N(1e12)
		u.Cost = u.InputCost + r.Int64N(1e12)
	}
	if r.IntN(20) == 0 { // on a cut
		u.At = u.At.Truncate(time.Hour)
	}
	return u
}

func randomFilter(r *rand.Rand) store.CostFilter {
	var f store.CostFilter
	pick := func(one *string, prefix string, n int) {
		if r.IntN(3) == 0 {
			*one = fmt.Sprint(prefix, r.IntN(n))
		}
	}
	pick(&f.Tenant, "t", 4)
	pick(&f.Key, "k", 5)
	pick(&f.Provider, "p", 2)
	pick(&f.Model, "m", 3)
	at := func() time.Time {
		t := costDay.Add(time.Duration(r.Int64N(int64(130 * time.Hour)))).Add(-65 * time.Hour).Truncate(time.Microsecond)
		switch r.IntN(4) {
		case 0:
			return t.Truncate(time.Hour)
		case 1:
			return t.Truncate(24 * time.Hour)
		}
		return t
	}
	if r.IntN(3) > 0 {
		f.From = at()
	}
	if r.IntN(3) > 0 {
		f.To = at()
	}
	return f
}

func chosen(f *store.CostFilter, u *store.UsageRecord) bool {
	fits := func(want, is string) bool { return want == "" || want == is }
	return fits(f.Tenant, u.Tenant) && fits(f.Key, u.KeyID) && fits(f.Provider, u.Provider) && fits(f.Model, u.Model) &&
		(f.From.IsZero() || !u.At.Before(f.From)) && (f.To.IsZero() || u.At.Before(f.To))
}

func sumRecords(f *store.CostFilter, all []store.UsageRecord, fits func(u *store.UsageRecord) bool) (s store.UsageSums) {
	for i := range all {
		u := &all[i]
		if !chosen(f, u) || !fits(u) {
			continue
		}
		s.Calls++
		if u.Counted {
			s.Requests++
			if !u.Priced {
				s.Unpriced++
			}
		}
		s.Input += u.Input
		s.Output += u.Output
		s.Cached += u.Cached
		s.Reasoning += u.Reasoning
		s.InputCost += u.InputCost
		s.OutputCost += u.Cost - u.InputCost
	}
	return s
}

// write stores records by several writers at once, as nodes do.
func write(t *testing.T, url string, all []store.UsageRecord) {
	t.Helper()
	ctx := context.Background()
	var wg sync.WaitGroup
	for node := range 3 {
		wg.Go(func() {
			db, err := store.Open(ctx, url)
			if !assert.NoError(t, err) {
				return
			}
			w := store.NewWriter(db, store.WriterOptions{Interval: time.Millisecond, FlushRecords: 97, Wait: time.Minute})
			for i := node; i < len(all); i += 3 {
				assert.NoError(t, w.AppendUsage(ctx, &all[i]))
			}
			assert.NoError(t, errors.Join(w.Close(ctx), db.Close(ctx)))
		})
	}
	wg.Wait()
}

func TestTheSumOfRecordsEqualsTheSummaryWhateverIsAskedFor(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := storetest.Open(t, url)
		seed := time.Now().UnixNano()
		t.Log("seed", seed)
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		all := make([]store.UsageRecord, 3000)
		for i := range all {
			all[i] = randomUsage(r, i)
		}
		write(t, url, all)
		everything := func(*store.UsageRecord) bool { return true }
		check := func(n int) {
			for range n {
				f := randomFilter(r)
				rows, err := db.Usage().SumCosts(ctx, f, 0)
				require.NoError(t, err)
				require.Len(t, rows, 1)
				require.Equal(t, sumRecords(&f, all, everything), rows[0].UsageSums, "%+v", f)

				var listed store.UsageSums
				last := time.Unix(1<<40, 0)
				for c, err := range db.Usage().ListCosts(ctx, f, nil, 0) {
					require.NoError(t, err)
					require.False(t, c.At.After(last), "the newest come first")
					last = c.At
					listed.Requests++
					listed.InputCost += c.InputCost
					listed.OutputCost += c.OutputCost
					listed.Input += c.Input
					listed.Output += c.Output
				}
				s := &rows[0].UsageSums
				require.Equal(
					t,
					[]int64{s.Requests, s.Input, s.Output, s.InputCost, s.OutputCost},
					[]int64{listed.Requests, listed.Input, listed.Output, listed.InputCost, listed.OutputCost},
					"%+v",
					f,
				)

				by := store.CostGroup(r.IntN(32))
				rows, err = db.Usage().SumCosts(ctx, f, by)
				require.NoError(t, err)
				var sum store.UsageSums
				for i := range rows {
					g := &rows[i]
					sum.Add(&g.UsageSums)
					require.Equal(t, sumRecords(&f, all, func(u *store.UsageRecord) bool {
						return (by&store.ByTenant == 0 || u.Tenant == g.Tenant) && (by&store.ByKey == 0 || u.KeyID == g.Key) &&
							(by&store.ByProvider == 0 || u.Provider == g.Provider) &&
							(by&store.ByModel == 0 || u.Model == g.Model) &&
							(by&store.ByDay == 0 || u.At.Unix()/86400 == g.Day)
					}), g.UsageSums, "%+v %v", f, by)
				}
				require.Equal(t, *s, sum)
			}
		}
		check(60)
		n, err := db.Usage().RebuildSums(ctx)
		require.NoError(t, err)
		assert.EqualValues(t, len(all), n)
		check(10)
	})
}

func TestPagesOfCostsHaveEachRecordOnce(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := storetest.Open(t, url)
		r := rand.New(rand.NewPCG(1, 2))
		all := make([]store.UsageRecord, 700)
		for i := range all {
			all[i] = randomUsage(r, i)
			if i%3 == 0 { // many at the same moment
				all[i].At = costDay
			}
		}
		write(t, url, all)
		for range 8 {
			f := randomFilter(r)
			want := sumRecords(&f, all, func(u *store.UsageRecord) bool { return true }).Requests
			seen, size := map[int64]bool{}, 1+r.IntN(40)
			var after *store.CostCursor
			for {
				n := 0
				for c, err := range db.Usage().ListCosts(ctx, f, after, size) {
					require.NoError(t, err)
					require.False(t, seen[c.ID])
					seen[c.ID] = true
					at := c.Cursor()
					after = &at
					n++
				}
				if n < size {
					break
				}
			}
			assert.Len(t, seen, int(want), "%+v", f)
		}
	})
}

func TestACostRecordSaysWhatItWasReckonedWith(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := storetest.Open(t, url)
		write(t, url, []store.UsageRecord{
			{
				ExchangeID: "a",
				Tenant:     "t",
				KeyID:      "k",
				Provider:   "p",
				Model:      "m",
				PriceID:    "price1",
				Input:      7,
				Output:     3,
				Counted:    true,
				Cost:       30,
				InputCost:  10,
				Priced:     true,
				At:         costDay,
			},
			{ExchangeID: "b", Tenant: "t", KeyID: "k", Provider: "p", Model: "m", Input: 7, Output: 3, Estimated: true, At: costDay.Add(-time.Hour)},
			{
				ExchangeID: "c",
				Tenant:     "t\x00\xff",
				KeyID:      "k",
				Provider:   "p",
				Model:      "m",
				Input:      1,
				Counted:    true,
				Cost:       1,
				InputCost:  1,
				Priced:     true,
				At:         costDay.Add(-2 * time.Hour),
			},
		})
		var got []store.CostRecord
		for c, err := range db.Usage().ListCosts(ctx, store.CostFilter{Tenant: "t"}, nil, 0) {
			require.NoError(t, err)
			got = append(got, c)
		}
		require.Len(t, got, 2)
		assert.Equal(
			t,
			[]any{"price1", int64(10), int64(20), true, costDay},
			[]any{got[0].PriceID, got[0].InputCost, got[0].OutputCost, got[0].Priced, got[0].At},
		)
		assert.Equal(t, []any{"", int64(0), int64(0), false}, []any{got[1].PriceID, got[1].InputCost, got[1].OutputCost, got[1].Priced})
		rows, err := db.Usage().SumCosts(ctx, store.CostFilter{}, store.ByTenant)
		require.NoError(t, err)
		require.Len(t, rows, 2, "a text that cannot be stored is the same in records and sums")
		before := rows
		_, err = db.Usage().RebuildSums(ctx)
		require.NoError(t, err)
		rows, err = db.Usage().SumCosts(ctx, store.CostFilter{}, store.ByTenant)
		require.NoError(t, err)
		assert.Equal(t, before, rows)
	})
}

func TestWhatRetentionRemovesStaysInTheSums(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := storetest.Open(t, url)
		r := rand.New(rand.NewPCG(3, 4))
		all := make([]store.UsageRecord, 6000)
		for i := range all {
			all[i] = randomUsage(r, i)
		}
		write(t, url, all)
		sums := func() [][]store.CostSums {
			var out [][]store.CostSums
			for _, by := range []store.CostGroup{0, store.ByTenant | store.ByDay, store.ByKey | store.ByModel | store.ByDay} {
				rows, err := db.Usage().SumCosts(ctx, store.CostFilter{}, by)
				require.NoError(t, err)
				out = append(out, rows)
			}
			return out
		}
		before := sums()
		cut := costDay.Add(13 * time.Hour) // in the middle of a day, which stays whole
		day := cut.UTC().Truncate(24 * time.Hour)
		for range 2 { // the second time there is nothing to remove
			for more := true; more; {
				var err error
				more, err = db.Usage().Trim(ctx, cut)
				require.NoError(t, err)
			}
		}
		left := 0
		for i := range all {
			if !all[i].At.Before(day) {
				left++
			}
		}
		require.Less(t, left, len(all))
		got, err := db.Usage().SumUsage(ctx, store.UsageFilter{})
		require.NoError(t, err)
		assert.EqualValues(t, left, got.Records)
		assert.Equal(t, before, sums())
		n, err := db.Usage().RebuildSums(ctx)
		require.NoError(t, err)
		assert.EqualValues(t, left, n)
		assert.Equal(t, before, sums(), "rebuilt sums retain removed records")
		_, err = db.Usage().Trim(ctx, cut.AddDate(0, 0, -3)) // retention was made longer
		require.NoError(t, err)
		_, err = db.Usage().RebuildSums(ctx)
		require.NoError(t, err)
		assert.Equal(t, before, sums())
	})
}
