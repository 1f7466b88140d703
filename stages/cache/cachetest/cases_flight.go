package cachetest

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

func joinRequests(t *testing.T, by *Subject) {
	for _, streamed := range []bool{false, true} {
		b := NewBench(t, by, "wait: 1m", nil)
		c := Call{Body: FormatRequest("hi"), Answer: FormatAnswer("one")}
		if streamed {
			c = Call{Body: FormatStreamRequest("hi"), Events: []string{FormatDelta("one"), Stop, Done}}
		}
		ctx := context.Background()
		x := b.open(c)
		require.Equal(t, core.Pass, b.chain.RunRequest(ctx, x).Action)
		var wg sync.WaitGroup
		answers := make(chan Got, 5)
		for range 5 {
			wg.Go(func() { answers <- b.Send(Call{Body: c.Body, Answer: FormatAnswer("never"), Events: c.Events}) })
		}
		x.Response.Status = 200
		text := strings.Join(c.Events, "")
		if streamed {
			b.streamAnswer(ctx, x, text)
		} else {
			text = c.Answer
			x.Response.Raw = []byte(text)
			b.chain.RunResponse(ctx, x)
		}
		x.Outcome = core.Outcome{Kind: core.Served, Complete: true}
		b.chain.Finish(ctx, x)
		wg.Wait()
		for range 5 {
			g := <-answers
			assert.Equal(t, core.Answer, g.Action)
			assert.Equal(t, text, g.Text)
		}
	}
}

func splitRequests(t *testing.T, by *Subject) {
	b := NewBench(t, by, "wait: 1m", nil)
	ctx := context.Background()
	x := b.open(Call{Body: FormatRequest("hi")})
	require.Equal(t, core.Pass, b.chain.RunRequest(ctx, x).Action)
	var wg sync.WaitGroup
	actions := make(chan core.Action, 3)
	for range 3 {
		wg.Go(func() {
			actions <- b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Kind: core.UpstreamErr}).Action
		})
	}
	x.Outcome.Kind = core.UpstreamErr
	b.chain.Finish(ctx, x)
	wg.Wait() // well before a minute has passed
	for range 3 {
		assert.Equal(t, core.Pass, <-actions)
	}
	assert.Zero(t, b.countWaiting())
}

func limitWaiting(t *testing.T, by *Subject) {
	b := NewBench(t, by, "wait: 1ms", nil)
	first := b.open(Call{Body: FormatRequest("hi")})
	require.Equal(t, core.Pass, b.chain.RunRequest(context.Background(), first).Action)
	second := b.chain.RunRequest(context.Background(), b.open(Call{Body: FormatRequest("hi")}))
	assert.Equal(t, core.Pass, second.Action, "the first takes too long")

	synctest.Test(t, func(t *testing.T) {
		b := NewBench(t, by, "wait: 1h", nil)
		require.Equal(t, core.Pass, b.chain.RunRequest(context.Background(), b.open(Call{Body: FormatRequest("hi")})).Action)
		ctx, cancel := context.WithCancel(context.Background())
		x, ended := b.open(Call{Body: FormatRequest("hi")}), make(chan struct{})
		go func() {
			b.chain.RunRequest(ctx, x)
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
