package webhook

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// newShadowChain returns a chain with a link in shadow mode, and a channel of its receiver's verdicts.
func newShadowChain(t *testing.T, r *receiver, change ...func(*Options)) (*chain.Chain, chan remote.Observed) {
	said := make(chan remote.Observed, 1000)
	s := r.link(t, append(change, func(o *Options) { o.Shadow, o.Note = true, func(o remote.Observed) { said <- o } })...)
	c, err := chain.New([]chain.Link{{Name: "the-guard", Stage: s, Phases: remote.Phases, Mode: chain.Shadow}}, mint{})
	require.NoError(t, err)
	return c, said
}

func awaitObserved(t *testing.T, said chan remote.Observed) remote.Observed {
	select {
	case o := <-said:
		return o
	case <-time.After(30 * time.Second):
		require.Fail(t, "the receiver was not called")
	}
	return remote.Observed{}
}

func TestAReceiverInShadowIsAskedAndNobodyWaitsForIt(t *testing.T) {
	release := make(chan struct{})
	r := receives(t, func(ctx context.Context, in *webhook.Request) (*webhook.Verdict, error) {
		<-release
		return finds(webhook.Block)(ctx, in)
	})
	c, said := newShadowChain(t, r)
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"PROJECT-APOLLO"}]}`)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	assert.Empty(t, said, "the receiver has not answered yet")
	x.ID = "used again"
	x.Request.Reset()

	text := strings.Repeat("a", 700) + " PROJECT-GEMINI " + strings.Repeat("b", 100)
	got, e, _ := streamAnswer(t, c, stagetest.Chop(rand.New(rand.NewPCG(1, 2)), text, 10))
	require.Nil(t, e)
	assert.Equal(t, text, got)
	close(release)
	actions := map[remote.Action]int{}
	for range 4 {
		o := awaitObserved(t, said)
		require.NoError(t, o.Fault)
		assert.Equal(t, "x-1", o.Exchange, "a copy was sent")
		actions[o.Action]++
		if o.Action == remote.Block {
			assert.Equal(t, []string{"project"}, o.Labels)
		}
	}
	assert.Equal(t, map[remote.Action]int{remote.Block: 2, remote.Pass: 2}, actions, "the request, and three windows of the answer")
}

func TestAFailureInShadowIsToldAndClosingEndsTheWorkers(t *testing.T) {
	r := serveBroken(t, never, finds(webhook.Flag))
	c, said := newShadowChain(t, r)
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"x"}]}`)
	require.Equal(t, core.Pass, c.RunRequest(context.Background(), x).Action)
	o := awaitObserved(t, said)
	checkFault(t, o.Fault, core.FaultError, "status 500")
	assert.Empty(t, o.Action)
	require.NoError(t, c.Close(context.Background()))
}
