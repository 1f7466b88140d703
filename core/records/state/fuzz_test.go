package state_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
)

// For any order of takes and settlements: a counter never holds and settles more than its
// maximum, as long as no caller uses more than it took; a rate admits at most its burst and
// what has been refilled; and a refused request changes nothing.
func FuzzCountersKeepTheirBounds(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 4, 5, 6, 7, 8, 9, 0, 255})
	f.Add([]byte("take and settle and take again"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		const most, running, burst, each = 100, 7, 20, 10 * time.Millisecond
		began := time.Unix(1_800_000_000, 0)
		now := began
		m := state.NewMemory(state.Options{Now: func() time.Time { return now }})
		var open [][]core.Limit
		spent, held, passed := int64(0), int64(0), int64(0)
		limits := func(cost int64) []core.Limit {
			return []core.Limit{
				spend("s", cost, most), concurrent("c", running),
				{Kind: core.Rate, Key: "r", Cost: 1, Max: burst, Period: burst * each},
			}
		}
		for _, op := range ops {
			cost := int64(op % 32)
			switch {
			case op < 128:
				l := limits(cost)
				ok, err := m.Take(context.Background(), l)
				require.NoError(t, err)
				room := spent+held+cost <= most && len(open) < running
				if ok {
					require.True(t, room)
					held += cost
					passed++
					open = append(open, l)
				} else if room {
					require.True(t, l[2].Short, "only the rate can have refused it")
				}
			case op < 192 && len(open) > 0:
				l := open[0]
				open = open[1:]
				held -= l[0].Cost
				l[0].Actual, l[2].Actual = min(cost, l[0].Cost), 1
				spent += l[0].Actual
				require.NoError(t, m.Settle(context.Background(), l))
			default:
				now = now.Add(time.Duration(op%64) * time.Millisecond)
			}
			l := limits(0)
			l[1].Cost, l[2].Cost = 0, 0
			_, err := m.Take(context.Background(), l)
			require.NoError(t, err)
			require.Equal(t, []int64{most - spent - held, spent}, []int64{l[0].Left, l[0].Spent})
			require.Equal(t, int64(len(open)), l[1].Spent)
			require.LessOrEqual(t, passed, burst+int64(now.Sub(began)/each))
			require.GreaterOrEqual(t, l[0].Left, int64(0))
		}
	})
}
