package proxy_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/stages/cache"
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/pii"
)

// watcher is a stage that notes how long the request is when the exchange ends.
type watcher struct {
	acts
	releases bool
	mu       *sync.Mutex
	left     *int
}

func (w watcher) ReleaseRequest(context.Context, *core.Exchange, any) bool { return w.releases }

func (w watcher) Finish(_ context.Context, x *core.Exchange, _ any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*w.left = len(x.Request.Raw) + len(x.Request.Segments)
}

func TestALongRequestIsReleasedOnceItsStreamHasBegun(t *testing.T) {
	prompt := strings.Repeat("The quick brown fox jumps over the lazy dog, says anna.lindqvist@example.com. ", 4000)
	events := []string{roleEvent, textEvent("the answer"), textEvent(" goes on"), stopEvent, doneEvent}
	for _, c := range []struct {
		name     string
		releases bool
		released bool
		prompt   string
	}{
		{"if all links can do without it", true, true, prompt},
		{"not if one of them may look at it", false, false, prompt},
		{"not if it is short", true, false, "hi"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			left := -1
			read := func() int { mu.Lock(); defer mu.Unlock(); return left }
			g := open(t, setup{
				client: &pieces{contentType: "text/event-stream", next: repeatAnswer(strings.Join(events, ""))},
				chain: func(tok core.Tokens) []chain.Link {
					first, err := pii.New(nil, tok)
					require.NoError(t, err)
					second, err := guardrail.New(block("detectors: [{type: system_prompt_leak, phases: [response]}, {type: echo, min_words: 6, phases: [response]}]"))
					require.NoError(t, err)
					third, err := cache.New(nil, cache.Deps{Now: time.Now})
					require.NoError(t, err)
					w := watcher{releases: c.releases, mu: &mu, left: &left}
					return []chain.Link{
						link("pii", first, core.Request, core.Response), link("guardrail", second, core.Request, core.Response),
						link("cache", third, core.Request, core.Response), link("watcher", w, core.Request),
					}
				},
			})
			a := g.post("dev", chatStream(c.prompt))
			require.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.body, "the answer")
			require.Eventually(t, func() bool { return read() >= 0 }, 10*time.Second, time.Millisecond)
			if c.released {
				assert.Zero(t, read())
			} else {
				assert.Positive(t, read())
			}
		})
	}
}

func TestTheTokensOfAReleasedRequestAreEstimatedFromASample(t *testing.T) {
	prompt := strings.Repeat("The quick \"brown\" fox jumps over the lazy dog.\n", 4000)
	cost := func(releases bool) int64 {
		ends := make(chan core.Exchange, 1)
		var mu sync.Mutex
		var left int
		g := open(t, setup{
			client: &pieces{contentType: "text/event-stream", next: repeatAnswer(roleEvent + textEvent("the answer") + stopEvent + doneEvent)},
			chain: func(core.Tokens) []chain.Link {
				return []chain.Link{
					link("watcher", watcher{releases: releases, mu: &mu, left: &left}, core.Request),
					link("end", ender{ends}, core.Request),
				}
			},
		})
		a := g.post("dev", chatStream(prompt))
		require.Equal(t, 200, a.status, a.body)
		x := <-ends
		return x.Usage.Input
	}
	whole, sampled := cost(false), cost(true)
	assert.InEpsilon(t, whole, sampled, 0.05)
}

// ender tells how an exchange has ended.
type ender struct{ ends chan core.Exchange }

func (ender) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return pass, nil
}

func (ender) ReleaseRequest(context.Context, *core.Exchange, any) bool { return true }

func (e ender) Finish(_ context.Context, x *core.Exchange, _ any) {
	e.ends <- core.Exchange{Usage: x.Usage}
}
