package state_test

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// readLeft returns how much of a counter other processes can take.
func readLeft(t *testing.T, s core.State, l core.Limit) int64 {
	t.Helper()
	l.Cost = 0
	_, seen := take(t, s, l)
	return seen[0].Left
}

// A Take may wait long for a connection, or at the server. A renewal that arrived before it would add its cost without
// looking at the limit, and the Take would add it once more.
func TestARenewalNeverOvertakesItsTake(t *testing.T) {
	for name, most := range map[string]int64{"granted": 100, "refused": 50} {
		t.Run(name, func(t *testing.T) {
			srv := statetest.StartRedis(t)
			through := newSwitch(t, srv)
			r, other := open(t, through.url), open(t, srv.URL)
			take(t, r, spend("another", 1, 100)) // the server knows the script from now on
			limits := []core.Limit{spend("b", 70, most)}
			d := through.delayNext(state.TakeScript())
			took := make(chan bool)
			go func() {
				ok, err := r.Take(context.Background(), limits)
				assert.NoError(t, err)
				took <- ok
			}()
			<-d.arrived
			require.NoError(t, r.RenewDue(time.Hour))
			assert.Equal(t, most, readLeft(t, other, limits[0]), "nothing was granted yet")
			close(d.release)
			if ok := <-took; !ok {
				assert.Equal(t, "refused", name)
				assert.Equal(t, most, readLeft(t, other, limits[0]))
				return
			}
			assert.Equal(t, most-70, readLeft(t, other, limits[0]))
			limits[0].Actual = 20
			require.NoError(t, r.Settle(context.Background(), limits))
			assert.Equal(t, most-20, readLeft(t, other, limits[0]))
		})
	}
}

func TestARenewalThatArrivesAfterTheSettlementHoldsNothing(t *testing.T) {
	for name, expired := range map[string]bool{"held": false, "expired": true} {
		t.Run(name, func(t *testing.T) {
			srv := statetest.StartRedis(t)
			through := newSwitch(t, srv)
			r, other := open(t, through.url), open(t, srv.URL)
			// Counters of two kinds: settling leaves nothing of the one, and a sum of the other.
			ok, limits := take(t, r, concurrent("c", 3), spend("b", 70, 100))
			require.True(t, ok)
			require.NoError(t, r.RenewDue(time.Hour)) // the server knows the script from now on
			d := through.delayNext(state.RenewScript())
			if expired {
				other.Advance(2 * time.Minute)
				require.Equal(t, int64(3), readLeft(t, other, limits[0]))
				require.Equal(t, int64(100), readLeft(t, other, limits[1]))
				d.skip.Store(1) // the first says what has expired, the second holds it again
			}
			renewed := make(chan error)
			go func() { renewed <- r.RenewDue(2 * time.Hour) }()
			<-d.arrived
			limits[1].Actual = 20
			require.NoError(t, r.Settle(context.Background(), limits))
			close(d.release)
			require.NoError(t, <-renewed)
			assert.Equal(t, int64(3), readLeft(t, r, limits[0]))
			assert.Equal(t, int64(80), readLeft(t, r, limits[1]))
		})
	}
}

func TestAHoldThatExpiredUnderALivingProcessIsHeldAgain(t *testing.T) {
	url := statetest.StartRedis(t).URL
	living, other := open(t, url), open(t, url)
	ok, limits := take(t, living, concurrent("c", 3), spend("b", 70, 100))
	require.True(t, ok)
	other.Advance(2 * time.Minute)
	require.Equal(t, int64(100), readLeft(t, other, limits[1]))
	require.Equal(t, int64(3), readLeft(t, other, limits[0]))
	require.NoError(t, living.RenewDue(time.Hour))
	assert.Equal(t, int64(30), readLeft(t, living, limits[1]))
	assert.Equal(t, int64(2), readLeft(t, living, limits[0]))
	limits[1].Actual = 20
	require.NoError(t, living.Settle(context.Background(), limits))
	assert.Equal(t, int64(80), readLeft(t, living, limits[1]))
	assert.Equal(t, int64(3), readLeft(t, living, limits[0]))
}

func TestARenewalThatFailedStaysDue(t *testing.T) {
	srv := statetest.StartRedis(t)
	r := open(t, srv.URL)
	ok, limits := take(t, r, spend("b", 70, 100))
	require.True(t, ok)
	srv.Stop(t)
	require.Error(t, r.RenewDue(time.Hour))
	srv.Start(t) // it has forgotten all
	require.NoError(t, r.RenewDue(time.Hour))
	assert.Equal(t, int64(30), readLeft(t, open(t, srv.URL), limits[0]))
}

func TestAHoldIsRenewedUntilTheServerHasHeardItsSettlement(t *testing.T) {
	srv := statetest.StartRedis(t)
	r := open(t, srv.URL)
	ok, limits := take(t, r, spend("b", 70, 100))
	require.True(t, ok)
	srv.Stop(t)
	limits[0].Actual = 20
	require.Error(t, r.Settle(context.Background(), limits))
	assert.Equal(t, 1, r.CountHolds())
	srv.Start(t)
	require.Eventually(t, func() bool { return r.CountHolds() == 0 }, time.Minute, time.Millisecond)
	assert.Equal(t, int64(80), readLeft(t, open(t, srv.URL), limits[0]))
}

// Whoever sends more commands at once than it has connections learns nothing about the server.
func TestAPoolWithoutAFreeConnectionDoesNotOpenTheCircuit(t *testing.T) {
	ctx := context.Background()
	srv := statetest.StartRedis(t)
	through := newSwitch(t, srv)
	r := open(t, through.url+"&pool_size=1&pool_timeout=1ms")
	ok, _ := take(t, r, spend("b", 1, 100))
	require.True(t, ok)
	d := through.delayNext(state.TakeScript())
	took := make(chan error)
	go func() {
		_, err := r.Take(ctx, []core.Limit{spend("b", 1, 100)})
		took <- err
	}()
	<-d.arrived
	for range 50 {
		_, err := r.Take(ctx, []core.Limit{spend("b", 1, 100)})
		require.Error(t, err)
		require.NotErrorIs(t, err, state.ErrAway)
	}
	assert.Zero(t, r.CountOwed(), "what was not sent need not be undone")
	require.NoError(t, r.RenewDue(time.Hour), "renewals do not wait for a connection of the exchanges")
	close(d.release)
	require.NoError(t, <-took)
	ok, l := take(t, r, spend("b", 1, 100))
	require.True(t, ok)
	assert.Equal(t, int64(97), l[0].Left)
}

// delay holds one write of a client back until it is released.
type delay struct {
	text             string
	skip             atomic.Int64 // writes with the text that pass before it
	arrived, release chan struct{}
}

// delayNext holds back the next write that contains a text.
func (s *silencer) delayNext(text string) *delay {
	d := &delay{text: text, arrived: make(chan struct{}), release: make(chan struct{})}
	s.delayed.Store(d)
	return d
}

func (s *silencer) wait(written []byte) {
	d := s.delayed.Load()
	if d == nil || !bytes.Contains(written, []byte(d.text)) || d.skip.Add(-1) >= 0 {
		return
	}
	if s.delayed.CompareAndSwap(d, nil) {
		close(d.arrived)
		<-d.release
	}
}
