package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (g gateway) exchange(t testing.TB, id string, answered bool) {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, g.log.Append(ctx, Event{Type: GatewayRequest, Payload: fmt.Appendf(nil, `{"request_id":%q,"shape":"x"}`, id)}))
	if answered {
		require.NoError(t, g.log.Append(ctx, Event{Type: GatewayResponse, Payload: fmt.Appendf(nil, `{"request_id":%q}`, id)}))
	}
}

func TestVerifyListsRequestsWithoutResponses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	g, _ := start(t, path, testKey)
	g.exchange(t, "first", true)
	g.exchange(t, "lost", false)
	require.NoError(t, g.log.Append(context.Background(), Event{Type: GatewayRequest, Payload: []byte(`{"n":1}`)})) // of no exchange
	g.stop(t, true)
	g, _ = start(t, path, testKey)
	g.exchange(t, "killed", false)
	g.stop(t, false)
	g, _ = start(t, path, testKey)
	g.exchange(t, `quo"ted`, true)
	g.exchange(t, "running", false)
	defer g.stop(t, true)
	require.NoError(t, g.log.Sync(context.Background()))

	r := verify(t, path, testKey)
	require.True(t, r.Valid())
	assert.EqualValues(t, 1, r.Unanswered)
	assert.EqualValues(t, 1, r.Killed)
	assert.EqualValues(t, 1, r.Running, "it may still be answered")
	require.Len(t, r.Open, 2)
	assert.Equal(t, "lost", r.Open[0].Exchange)
	assert.False(t, r.Open[0].Killed)
	assert.Equal(t, "killed", r.Open[1].Exchange)
	assert.True(t, r.Open[1].Killed)
	assert.EqualValues(t, 4, r.Open[0].Seq)
	p := Proof{Chains: []Report{r}}
	assert.EqualValues(t, 1, p.CountUnanswered())
	assert.EqualValues(t, 1, p.CountKilled())
}

func TestARequestOfAnOpenChainIsUnansweredAfterAnHour(t *testing.T) {
	x := exchanges{open: map[string]UnansweredRequest{}}
	now := time.Now()
	x.open["old"] = UnansweredRequest{Seq: 1, At: now.Add(-maxExchangeTime), Exchange: "old"}
	x.open["new"] = UnansweredRequest{Seq: 2, At: now.Add(time.Second - maxExchangeTime), Exchange: "new"}
	x.finish(now)
	assert.EqualValues(t, 1, x.lost)
	assert.EqualValues(t, 1, x.running)
}

func TestTheListOfUnansweredRequestsIsBounded(t *testing.T) {
	x := exchanges{open: map[string]UnansweredRequest{}}
	const n = 5 * maxUnanswered
	for i := range n {
		id := fmt.Sprint(i)
		x.open[id] = UnansweredRequest{Seq: int64(n - i), Exchange: id}
		x.end(false)
	}
	x.finish(time.Now())
	assert.EqualValues(t, n, x.lost)
	assert.Len(t, x.list, maxUnanswered)
}
