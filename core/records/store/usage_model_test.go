package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func TestTheSumOfAModelIsThatOfTheRecordsThatFit(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := storetest.Open(t, url)
		seed := uint64(time.Now().UnixNano())
		t.Log("seed", seed)
		r := rand.New(rand.NewPCG(seed, 5))
		all := make([]store.UsageRecord, 2000)
		for i := range all {
			all[i] = randomUsage(r, i)
			all[i].ModelRequested = []string{"m0", "fast", "p/m1", all[i].Model}[r.IntN(4)]
		}
		write(t, url, all)
		for range 60 {
			f := store.CostFilter{Tenant: []string{"", "t1", "nobody"}[r.IntN(3)], Key: []string{"", "k2"}[r.IntN(2)]}
			if r.IntN(2) == 0 {
				f.From = costDay.Add(-time.Duration(r.Int64N(int64(70 * time.Hour))))
			}
			if r.IntN(2) == 0 {
				f.To = costDay.Add(time.Duration(r.Int64N(int64(70 * time.Hour))))
			}
			glob := []string{"*", "m*", "m1", "fast", "f*", "*1", "none", "[m]0"}[r.IntN(8)]
			got, err := db.Usage().SumModels(ctx, f, glob)
			require.NoError(t, err)
			want := sumRecords(&f, all, func(u *store.UsageRecord) bool {
				return (u.Counted || u.Estimated) && (match.MatchesGlob(glob, u.Model) || match.MatchesGlob(glob, u.ModelRequested))
			})
			assert.Equal(
				t,
				[]int64{want.Requests, want.Input, want.Output, want.Cost()},
				[]int64{got.Requests, got.Input, got.Output, got.Cost()},
				fmt.Sprint(glob, f),
			)
		}
	})
}
