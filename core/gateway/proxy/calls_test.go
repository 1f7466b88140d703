package proxy_test

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
)

// inTurn answers successive requests with the elements of the list, and all further ones with the last.
func inTurn(list ...string) func(net.Conn, sent) {
	var n atomic.Int64
	return func(c net.Conn, _ sent) {
		_, _ = io.WriteString(c, list[min(int(n.Add(1)), len(list))-1])
	}
}

// eager retries calls without waiting, including those that the provider may have served.
func eager(rt *snapshot.Runtime) {
	rt.Traffic.Retry = route.RetrySettings{
		Attempts:      3,
		Base:          time.Millisecond,
		Max:           time.Millisecond,
		Budget:        time.Minute,
		MaxRetryAfter: time.Second,
		Lost:          true,
	}
}

func TestACallIsRepeatedBeforeItsFirstByteOnly(t *testing.T) {
	const busy = "HTTP/1.1 503 x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
	claude := `{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`
	claudes := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
		"data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"c\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n" +
		"data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"one\"}}\n\n"
	for _, c := range []struct {
		name, typ string
		streamed  bool
		answers   []string
		calls     int
		status    int
		outcome   string
	}{
		{"a failure, then an answer", "openai", false, []string{busy, buildWhole(200, "application/json", completion("hi"))}, 2, 200, "served"},
		{"a failure, then a stream", "openai", true, []string{busy, stream(roleEvent, textEvent("hi"), stopEvent, doneEvent)}, 2, 200, "served"},
		{"a failure, then an answer that is translated", "anthropic", false, []string{busy, buildWhole(200, "application/json", claude)}, 2, 200, "served"},
		{"a connection that sends nothing", "openai", false, []string{"", buildWhole(200, "application/json", completion("hi"))}, 2, 200, "served"},
		{"endless failures", "openai", false, []string{busy}, 3, 503, "upstream_error"},
		{"an answer that breaks off", "openai", false, []string{"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"}, 3, 502, "upstream_error"},
		{"a stream that breaks off before its output", "openai", true, []string{streamHead}, 3, 502, "upstream_error"},
		{"a stream that breaks off after its output", "openai", true, []string{streamHead + chunk(roleEvent+textEvent("one"))}, 1, 200, "upstream_error"},
		{"a translated stream that breaks off", "anthropic", true, []string{claudes}, 1, 200, "upstream_error"},
		{"a refusal of the request", "openai", false, []string{buildWhole(400, "application/json", "{}")}, 1, 400, "upstream_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, inTurn(c.answers...))
			g := open(t, setup{provider: newProvider(t, c.typ, up.url), runtime: eager, chain: redacting(t, "")})
			a := g.post("dev", chatBody("hi", c.streamed))
			assert.Equal(t, c.status, a.status, a.body)
			assert.Len(t, up.requests(), c.calls)
			assert.Equal(t, c.outcome, g.outcome()["outcome"])
		})
	}
}

func TestAProviderWhoseCircuitIsOpenIsNotCalled(t *testing.T) {
	bad, good := newFake(t, says(buildWhole(500, "application/json", "{}"))), newFake(t, says(buildWhole(200, "application/json", completion("good"))))
	g := open(t, setup{
		url:     bad.url,
		targets: []route.Provider{openAI(t, "a", bad.url, nil, noTimeouts), openAI(t, "b", good.url, nil, noTimeouts)},
		runtime: func(rt *snapshot.Runtime) {
			rt.Traffic.Health = route.NewHealth(
				route.BreakerSettings{Failures: 2, FailurePercent: 50, Window: time.Minute, OpenFor: time.Hour, MaxOpen: time.Hour, Trials: 1},
				nil,
			)
		},
	})
	for range 3 {
		assert.Equal(t, 200, g.post("dev", manyBody).status, "the next target answers")
		assert.Equal(t, 200, g.post("foreign", manyBody).status)
	}
	assert.Len(t, bad.requests(), 4, "two failures of each tenant open the circuit")
	assert.Len(t, good.requests(), 6)

	for range 2 {
		assert.Equal(t, 500, g.post("dev", chat("x")).status, "the circuits of two providers are two")
		assert.Equal(t, 500, g.post("foreign", chat("x")).status)
	}
	a := g.post("dev", chat("x"))
	assert.Equal(t, 503, a.status, "no target is left")
	assert.Equal(t, "upstream_error", errorOf(t, a)["code"])
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	assert.Len(t, bad.requests(), 8)
}

func TestATierHasItsShareOfThePlaces(t *testing.T) {
	asked, release := make(chan struct{}, 9), make(chan struct{})
	up := newFake(t, func(c net.Conn, _ sent) {
		asked <- struct{}{}
		<-release
		_, _ = io.WriteString(c, buildWhole(200, "application/json", completion("x")))
	})
	tiers := route.NewTiers(route.TierSettings{Max: 2, Threshold: [3]int{route.Premium: 100, route.Standard: 100, route.Bulk: 50}})
	g := open(t, setup{url: up.url, runtime: func(rt *snapshot.Runtime) { rt.Tiers = tiers }})
	var all sync.WaitGroup
	served := func(key string) {
		all.Go(func() { assert.Equal(t, 200, g.post(key, chat("x")).status) })
		<-asked
	}
	refused := func(key, tier string) {
		a := g.post(key, chat("x"))
		assert.Equal(t, 429, a.status)
		e := errorOf(t, a)
		assert.Equal(t, "rate_limit_exceeded", e["code"])
		assert.Contains(t, e["message"], tier)
		assert.Equal(t, "1", a.header.Get("Retry-After"))
	}
	served("dev") // without a tier it is standard
	refused("bulk", "bulk")
	served("premium")
	refused("premium", "premium")
	refused("dev", "standard")
	s := tiers.Stats()
	assert.Equal(t, 2, s.Current)
	close(release)
	all.Wait()
	require.Eventually(t, func() bool { return tiers.Stats().Current == 0 }, generous, time.Millisecond, "every slot is released")
	served("bulk")
	all.Wait()
}
