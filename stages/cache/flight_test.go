package cache

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestEqualRequestsThatComeTogetherAreOneCall(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		b := newBench(t, "wait: 1m", nil)
		c := call{body: ask("hi"), answer: says("one")}
		if streamed {
			c = call{body: askStream("hi"), events: []string{delta("one"), stop, done}}
		}
		ctx := context.Background()
		x := b.open(c)
		require.Equal(t, core.Pass, b.chain.Request(ctx, x).Action)
		var wg sync.WaitGroup
		answers := make(chan got, 5)
		for range 5 {
			wg.Go(func() { answers <- b.send(call{body: c.body, answer: says("never"), events: c.events}) })
		}
		x.Response.Status = 200
		text := strings.Join(c.events, "")
		if streamed {
			b.stream(ctx, x, text)
		} else {
			text = c.answer
			x.Response.Raw = []byte(text)
			b.chain.Response(ctx, x)
		}
		x.Outcome = core.Outcome{Kind: core.Served, Complete: true}
		b.chain.Finish(ctx, x)
		wg.Wait()
		for range 5 {
			g := <-answers
			assert.Equal(t, core.Answer, g.action)
			assert.Equal(t, text, g.text)
		}
	}
}

func TestWhenTheFirstFailsTheOthersGoOnByThemselves(t *testing.T) {
	b := newBench(t, "wait: 1m", nil)
	ctx := context.Background()
	x := b.open(call{body: ask("hi")})
	require.Equal(t, core.Pass, b.chain.Request(ctx, x).Action)
	var wg sync.WaitGroup
	actions := make(chan core.Action, 3)
	for range 3 {
		wg.Go(func() { actions <- b.send(call{body: ask("hi"), answer: says("x"), kind: core.UpstreamErr}).action })
	}
	x.Outcome.Kind = core.UpstreamErr
	b.chain.Finish(ctx, x)
	wg.Wait() // well before a minute has passed
	for range 3 {
		assert.Equal(t, core.Pass, <-actions)
	}
	assert.Empty(t, b.stage.shelves.loadShelf("t").flights)
}

func TestWhoWaitsDoesSoForATimeAndNoLongerThanHisClient(t *testing.T) {
	b := newBench(t, "wait: 1ms", nil)
	first := b.open(call{body: ask("hi")})
	require.Equal(t, core.Pass, b.chain.Request(context.Background(), first).Action)
	assert.Equal(t, core.Pass, b.chain.Request(context.Background(), b.open(call{body: ask("hi")})).Action, "the first takes too long")

	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "wait: 1h", nil)
		require.Equal(t, core.Pass, b.chain.Request(context.Background(), b.open(call{body: ask("hi")})).Action)
		ctx, cancel := context.WithCancel(context.Background())
		x, ended := b.open(call{body: ask("hi")}), make(chan struct{})
		go func() {
			b.chain.Request(ctx, x)
			close(ended)
		}()
		synctest.Wait()
		select {
		case <-ended:
			assert.Fail(t, "no request waited")
		default:
		}
		began := time.Now()
		cancel()
		<-ended
		assert.Zero(t, time.Since(began), "the client has left")
	})
}
