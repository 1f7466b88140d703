package state_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

func brief(l core.Limit) core.Limit {
	l.Period = 2 * time.Second
	return l
}

func TestWhatADeadProcessHeldIsFreeAfterItsPeriod(t *testing.T) {
	url := statetest.Redis(t).URL
	dead, other := open(t, url), open(t, url)
	ok, _ := take(t, dead, brief(spend("b", 70, 100)), brief(concurrent("c", 1)))
	require.True(t, ok)
	dead.Die()
	ok, _ = take(t, other, brief(spend("b", 70, 100)), brief(concurrent("c", 1)))
	require.False(t, ok, "it is held until its time is over")
	other.Advance(2 * time.Second)
	ok, l := take(t, other, brief(spend("b", 70, 100)), brief(concurrent("c", 1)))
	require.True(t, ok)
	assert.Equal(t, int64(30), l[0].Left)
}

func TestALivingProcessHoldsForAsLongAsItTakes(t *testing.T) {
	url := statetest.Redis(t).URL
	living, other := open(t, url), open(t, url)
	l := []core.Limit{spend("b", 70, 100), concurrent("c", 1)}
	for i := range l {
		l[i].Period = 600 * time.Millisecond
	}
	ok, _ := take(t, living, l...)
	require.True(t, ok)
	time.Sleep(1500 * time.Millisecond)
	ok, _ = take(t, other, spend("b", 70, 100))
	assert.False(t, ok)
	l[0].Actual = 20
	require.NoError(t, living.Settle(context.Background(), l))
	assert.Equal(t, int64(80), l[0].Left)
}

func TestWhatIsSettledAfterItsHoldExpiredIsCountedAllTheSame(t *testing.T) {
	url := statetest.Redis(t).URL
	slow, other := open(t, url), open(t, url)
	ok, l := take(t, slow, brief(spend("b", 70, 100)))
	require.True(t, ok)
	other.Advance(3 * time.Second)
	ok, _ = take(t, other, brief(spend("b", 100, 100)))
	require.True(t, ok)
	l[0].Actual = 60
	require.NoError(t, slow.Settle(context.Background(), l))
	assert.Equal(t, []int64{-60, 60}, []int64{l[0].Left, l[0].Spent})
}

func TestASettlementThatIsRepeatedCountsOnce(t *testing.T) {
	r := open(t, statetest.Redis(t).URL)
	ok, l := take(t, r, spend("b", 70, 100), concurrent("c", 2))
	require.True(t, ok)
	l[0].Actual = 20
	for range 3 {
		require.NoError(t, r.Repeat(l))
		assert.Equal(t, []int64{80, 20, 2}, []int64{l[0].Left, l[0].Spent, l[1].Left})
	}
	unheld := []core.Limit{spend("b", 0, 100)}
	unheld[0].Actual = 5
	for range 2 { // two of them, and not one twice
		unheld[0].Hold = 0
		require.NoError(t, r.Settle(context.Background(), unheld))
	}
	assert.Equal(t, int64(30), unheld[0].Spent)
	r.Advance(time.Hour) // the server forgets what was settled
	ok, _ = take(t, r, spend("b", 70, 100))
	assert.True(t, ok)
}

func TestASettlementThatTheServerDidNotHearIsMadeLater(t *testing.T) {
	srv := statetest.Redis(t)
	r := open(t, srv.URL)
	ok, l := take(t, r, spend("b", 70, 100))
	require.True(t, ok)
	srv.Stop(t)
	l[0].Actual = 20
	require.Error(t, r.Settle(context.Background(), l))
	_, err := r.Take(context.Background(), []core.Limit{spend("b", 1, 100)})
	require.Error(t, err, "who cannot count must not say yes")
	srv.Start(t) // it has forgotten all
	require.NoError(t, r.Seed(context.Background(), "b", 5, time.Now().Add(time.Hour)))
	ok, l = take(t, r, spend("b", 70, 100))
	require.True(t, ok, "after the server came back everything works again")
	require.NoError(t, r.Settle(context.Background(), l))
}

func TestAnAddressThatIsNoneIsRefusedWithoutShowingIt(t *testing.T) {
	for _, url := range []string{"redis://user:geheim@127.0.0.1:bad/0", "redis://:geheim@127.0.0.1:1/zero", "http://geheim/", "redis://:geheim@127.0.0.1:1/0"} {
		kept, err := state.Open(context.Background(), url, nil)
		require.Error(t, err)
		assert.True(t, kept == nil, "what is not open compares equal to nil")
		assert.NotContains(t, err.Error(), "geheim")
		assert.Contains(t, err.Error(), "state.url")
	}
}
