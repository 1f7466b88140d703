package store_test

import (
	"cmp"
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

func TestTheBucketsOfLatenciesFollowEachOther(t *testing.T) {
	for i := 1; i < store.LatencyBuckets; i++ {
		assert.Greater(t, store.ConvertLatency(i), store.ConvertLatency(i-1), "bucket %d", i)
	}
	assert.Greater(t, store.ConvertLatency(store.LatencyBuckets-1), time.Hour)
}

// paceOf counts records as Pace should.
func paceOf(all []store.UsageRecord, tenant string, from, to time.Time, step time.Duration) []store.UsagePace {
	var out []store.UsagePace
	for i := range all {
		u := &all[i]
		if u.At.Before(from) || !u.At.Before(to) || tenant != "" && u.Tenant != tenant {
			continue
		}
		bucket := 0
		for b := range store.LatencyBuckets {
			if ms := u.Latency.Truncate(time.Millisecond); ms >= store.ConvertLatency(b) {
				bucket = b
			}
		}
		span := u.At.Unix() / int64(step/time.Second)
		at := slices.IndexFunc(out, func(p store.UsagePace) bool { return p.Span == span && p.Outcome == u.Outcome && p.Bucket == bucket })
		if at < 0 {
			at, out = len(out), append(out, store.UsagePace{Span: span, Outcome: u.Outcome, Bucket: bucket})
		}
		out[at].Calls++
		if u.Priced {
			out[at].Cost += u.Cost
		}
	}
	return sortedPace(out)
}

func sortedPace(out []store.UsagePace) []store.UsagePace {
	slices.SortFunc(out, func(a, b store.UsagePace) int {
		if a.Span != b.Span {
			return int(a.Span - b.Span)
		}
		if a.Outcome != b.Outcome {
			return strings.Compare(a.Outcome, b.Outcome)
		}
		return a.Bucket - b.Bucket
	})
	return out
}

func TestThePaceIsThatOfTheRecordsAndOfThoseThatAreCountedAnew(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		r := rand.New(rand.NewPCG(7, 9))
		now := time.Now().UTC()
		var all []store.UsageRecord
		w := store.NewWriter(db, store.WriterOptions{})
		for i := range 1500 {
			u := randomUsage(r, i)
			u.At = now.Add(-time.Duration(r.Int64N(int64(48 * time.Hour)))).Truncate(time.Microsecond)
			if i%2 == 0 {
				u.At = now.Add(-time.Duration(r.Int64N(int64(90 * time.Minute)))).Truncate(time.Microsecond)
			}
			u.Latency = time.Duration(r.Int64N(int64(time.Millisecond) << r.IntN(20)))
			if u.Outcome == "served" && r.IntN(5) == 0 {
				u.Outcome = "upstream_error"
			}
			if r.IntN(4) == 0 {
				u.Outcome, u.BlockedBy = "blocked", []string{"pii", "guard"}[r.IntN(2)]
			}
			require.NoError(t, w.AppendUsage(t.Context(), &u))
			all = append(all, u)
		}
		require.NoError(t, w.Close(t.Context()))
		same := func(what string) {
			for _, tenant := range []string{"", "t0", "t1", "nobody"} {
				for _, step := range []time.Duration{time.Minute, 5 * time.Minute, time.Hour, 3 * time.Hour} {
					unit := min(step, time.Hour)
					if step < time.Hour {
						unit = time.Minute
					}
					from, to := now.Add(-47*time.Hour).Truncate(unit), now.Add(time.Hour).Truncate(unit)
					if step < time.Hour {
						from = now.Add(-2 * time.Hour).Truncate(unit)
					}
					got, err := db.Usage().ListPace(t.Context(), tenant, from, to, step)
					require.NoError(t, err)
					require.Equal(t, paceOf(all, tenant, from, to, step), sortedPace(got), "%s: %s by %s", what, tenant, step)
					blocked, err := db.Usage().ListBlocked(t.Context(), tenant, from, to, step)
					require.NoError(t, err)
					require.Equal(t, countBlocked(all, tenant, from, to, step), blocked, "%s: %s by %s", what, tenant, step)
				}
			}
		}
		same("written")
		_, err := db.Usage().RebuildSums(t.Context())
		require.NoError(t, err)
		same("rebuilt")
		require.NoError(t, db.Usage().SweepPace(t.Context()))
		same("swept")
	})
}

// countBlocked is what ListBlocked returns for records, in its order.
func countBlocked(all []store.UsageRecord, tenant string, from, to time.Time, step time.Duration) []store.UsageLink {
	var out []store.UsageLink
	for i := range all {
		u := &all[i]
		if u.BlockedBy == "" || tenant != "" && u.Tenant != tenant || u.At.Before(from) || !u.At.Before(to) {
			continue
		}
		span := u.At.Unix() / int64(step/time.Second)
		at := slices.IndexFunc(out, func(l store.UsageLink) bool { return l.Span == span && l.Link == u.BlockedBy })
		if at < 0 {
			at, out = len(out), append(out, store.UsageLink{Span: span, Link: u.BlockedBy})
		}
		out[at].Calls++
	}
	slices.SortFunc(out, func(a, b store.UsageLink) int {
		return cmp.Or(cmp.Compare(a.Span, b.Span), cmp.Compare(a.Link, b.Link))
	})
	return out
}

func TestARebuildKeepsTheCountsOfRecordsThatRetentionRemoved(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		now := time.Now().UTC()
		w := store.NewWriter(db, store.WriterOptions{})
		for _, ago := range []time.Duration{0, 72 * time.Hour} {
			require.NoError(t, w.AppendUsage(t.Context(), &store.UsageRecord{
				ExchangeID: "x", Tenant: "t", Outcome: "blocked", BlockedBy: "guard", At: now.Add(-ago),
			}))
		}
		require.NoError(t, w.Close(t.Context()))
		count := func() (calls, blocked int64) {
			pace, err := db.Usage().ListPace(t.Context(), "", now.Add(-96*time.Hour), now.Add(time.Hour), time.Hour)
			require.NoError(t, err)
			for _, p := range pace {
				calls += p.Calls
			}
			links, err := db.Usage().ListBlocked(t.Context(), "t", now.Add(-96*time.Hour), now.Add(time.Hour), time.Hour)
			require.NoError(t, err)
			for _, l := range links {
				blocked += l.Calls
			}
			return calls, blocked
		}
		_, err := db.Usage().Trim(t.Context(), now.Add(-24*time.Hour))
		require.NoError(t, err)
		n, err := db.Usage().RebuildSums(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 1, n, "one record is left")
		calls, blocked := count()
		assert.EqualValues(t, 2, calls)
		assert.EqualValues(t, 2, blocked)
	})
}

func TestAFleetCarriesTheLinkThatBlocked(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		w := store.NewWriter(db, store.WriterOptions{})
		for _, link := range []string{"guard", ""} {
			require.NoError(t, w.AppendUsage(t.Context(), &store.UsageRecord{ExchangeID: "x", Tenant: "t", Outcome: "blocked", BlockedBy: link}))
		}
		require.NoError(t, w.Close(t.Context()))
		list, _, err := db.Fleet().ListUsageAfter(t.Context(), 0, 10)
		require.NoError(t, err)
		require.Len(t, list, 2)
		assert.Equal(t, []string{"guard", ""}, []string{list[0].BlockedBy, list[1].BlockedBy})
	})
}
