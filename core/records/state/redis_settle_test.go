package state_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

func TestSettlementsOfSeveralTakesCostOneRoundTrip(t *testing.T) {
	srv := statetest.StartRedis(t)
	url, trips := statetest.StartCountingProxy(t, srv)
	r := open(t, url)
	for round := range 2 {
		ok, a := take(t, r, rate("r", 2, 10), concurrent("c", 5))
		require.True(t, ok)
		ok, b := take(t, r, spend("b", 10, 100))
		require.True(t, ok)
		a[0].Actual, b[0].Actual = 2, 4
		before := trips()
		for _, err := range r.SettleAll(context.Background(), [][]core.Limit{a, b, {}}) {
			require.NoError(t, err)
		}
		if round > 0 { // the first has loaded the script
			assert.Equal(t, int64(1), trips()-before)
		}
		assert.Equal(t, int64(5), a[1].Left)
		assert.Equal(t, int64(100), b[0].Left+b[0].Spent)
	}
	assert.Zero(t, r.CountHolds())
	assert.Equal(t, int64(92), readLeft(t, r, spend("b", 0, 100)))
	errs := r.SettleAll(context.Background(), [][]core.Limit{{{Key: "no kind"}}, {spend("b", 0, 100)}})
	require.Error(t, errs[0])
	require.NoError(t, errs[1])
}

func TestJoinedSettlementsThatTheServerDidNotHearAreMadeLater(t *testing.T) {
	srv := statetest.StartRedis(t)
	r := open(t, srv.URL)
	ok, a := take(t, r, spend("a", 10, 100))
	require.True(t, ok)
	ok, b := take(t, r, spend("b", 10, 100))
	require.True(t, ok)
	a[0].Actual, b[0].Actual = 3, 4
	srv.Stop(t)
	for _, err := range r.SettleAll(context.Background(), [][]core.Limit{a, b}) {
		require.Error(t, err)
	}
	srv.Start(t)
	other := open(t, srv.URL)
	require.Eventually(t, func() bool { return r.CountOwed() == 0 && r.CountHolds() == 0 }, time.Minute, time.Millisecond)
	assert.Equal(t, int64(97), readLeft(t, other, a[0]))
	assert.Equal(t, int64(96), readLeft(t, other, b[0]))
}
