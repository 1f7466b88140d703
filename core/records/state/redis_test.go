package state_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
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
	url := statetest.StartRedis(t).URL
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
	url := statetest.StartRedis(t).URL
	living, other := open(t, url), open(t, url)
	l := []core.Limit{spend("b", 70, 100), concurrent("c", 1)}
	for i := range l {
		l[i].Period = 600 * time.Millisecond
	}
	ok, _ := take(t, living, l...)
	require.True(t, ok)
	time.Sleep(1500 * time.Millisecond) // two and a half periods by the clock of the server, which a test cannot set
	ok, _ = take(t, other, spend("b", 70, 100))
	assert.False(t, ok)
	l[0].Actual = 20
	require.NoError(t, living.Settle(context.Background(), l))
	assert.Equal(t, int64(80), l[0].Left)
}

func TestWhatIsSettledAfterItsHoldExpiredIsCountedAllTheSame(t *testing.T) {
	url := statetest.StartRedis(t).URL
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
	r := open(t, statetest.StartRedis(t).URL)
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
	srv := statetest.StartRedis(t)
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
		assert.Equal(t, state.Backend(nil), kept, "what is not open compares equal to nil")
		assert.NotContains(t, err.Error(), "geheim")
		assert.Contains(t, err.Error(), "state.url")
	}
}

// A server that takes connections and says nothing costs each command its timeout.
func TestCommandsToASilentRedisFailAtOnceAfterAFew(t *testing.T) {
	ctx := context.Background()
	srv := statetest.StartRedis(t)
	through := newSwitch(t, srv)
	r := open(t, "redis://"+through.address+"/0?read_timeout=1s&dial_timeout=10s&pool_timeout=10s")
	ok, held := take(t, r, spend("b", 10, 100))
	require.True(t, ok)
	through.silent.Store(true)
	var all sync.WaitGroup
	for range 10 { // their timeouts pass at the same time
		all.Go(func() {
			_, err := r.Take(ctx, []core.Limit{spend("b", 1, 100)})
			assert.Error(t, err)
		})
	}
	all.Wait()
	require.Eventually(t, func() bool {
		_, err := r.Take(ctx, []core.Limit{spend("b", 1, 100)})
		return errors.Is(err, state.ErrAway)
	}, time.Minute, time.Millisecond)
	sent := through.received.Load()
	refused := 0
	for range 1000 {
		if _, err := r.Take(ctx, []core.Limit{spend("b", 1, 100)}); errors.Is(err, state.ErrAway) {
			refused++
		} else {
			require.Error(t, err)
		}
	}
	assert.Greater(t, refused, 900)
	assert.Less(t, through.received.Load()-sent, int64(100), "only trials reach the server")

	through.silent.Store(false)
	require.Eventually(t, func() bool {
		ok, err := r.Take(ctx, []core.Limit{spend("c", 1, 1000)})
		return ok && err == nil
	}, time.Minute, 10*time.Millisecond)
	held[0].Actual = 10
	require.Eventually(t, func() bool { return r.Settle(ctx, held) == nil }, time.Minute, 10*time.Millisecond)
}

// silencer is a proxy in front of a server. It can hold back writes to the server, temporarily or permanently.
type silencer struct {
	address  string
	url      string // of the server by way of the proxy, with generous timeouts
	silent   atomic.Bool
	received atomic.Int64 // reads from clients
	delayed  atomic.Pointer[delay]
}

func newSwitch(t *testing.T, srv *statetest.Server) *silencer {
	t.Helper()
	server, settings, _ := strings.Cut(strings.TrimPrefix(srv.URL, "redis://"), "/")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	s := &silencer{address: l.Addr().String()}
	s.url = "redis://" + s.address + "/" + settings
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(client, server)
		}
	}()
	return s
}

func (s *silencer) serve(client net.Conn, server string) {
	defer func() { _ = client.Close() }()
	back, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = back.Close() }()
	go func() { _, _ = io.Copy(client, back) }()
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		s.received.Add(1)
		if s.silent.Load() {
			continue
		}
		s.wait(buf[:n])
		if _, err := back.Write(buf[:n]); err != nil {
			return
		}
	}
}
