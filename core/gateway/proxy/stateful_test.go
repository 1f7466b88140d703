package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/wasm"
)

// repetition returns a chain of the sample plugin that remembers the whole answer.
func repetition(t testing.TB, action string, l wasm.Limits, rule chain.OnFault) (*wasm.Version, func(core.Tokens) []chain.Link) {
	source, err := os.ReadFile("../../../sdk/samples/repetition/repetition.wasm")
	require.NoError(t, err)
	l.Timeout = time.Minute
	v, err := wasm.Load(context.Background(), wasm.LoadOptions{Source: source, Name: "repetition.wasm", Limits: l})
	require.NoError(t, err)
	require.True(t, v.Acquire())
	t.Cleanup(func() { v.Release(context.Background()) })
	st, err := wasm.NewStage(v, "repetition", wasm.Settings{Action: action})
	require.NoError(t, err)
	return v, func(core.Tokens) []chain.Link {
		return []chain.Link{{Name: "repetition", Stage: st, Phases: core.NewPhaseSet(core.Response), Mode: chain.Enforce, OnFault: rule}}
	}
}

// going returns a stream that repeats a line, in pieces of a few bytes.
func going(times int) string {
	var b strings.Builder
	b.WriteString(roleEvent)
	for range times {
		for _, piece := range []string{"I said that", " before, and ", "say it again.\\n"} {
			b.WriteString(textEvent(piece))
		}
	}
	return b.String()
}

func TestAnAnswerThatGoesRoundIsEndedAndItsInstanceServesTheNext(t *testing.T) {
	v, chain := repetition(t, "block", wasm.Limits{Streams: 1}, chain.FaultBlocks)
	g := open(t, setup{chain: chain, url: newFake(t, func(conn net.Conn, _ sent) {
		_, _ = io.WriteString(conn, streamHead+chunk(going(5)))
		hungUp(conn)
	}).url})
	for range 2 {
		a := g.post("dev", chatBody("hi", true))
		assert.Equal(t, 200, a.status)
		assert.Equal(t, 2, strings.Count(a.body, "say it again"), "what the answer may hold")
		assert.Contains(t, a.body, `"content_filter"`)
	}
	require.Eventually(t, func() bool { return v.Stats().Streams == 0 }, generous, 5*time.Millisecond, "with a limit of one")
}

func TestAClientThatHangsUpLetsGoOfTheInstanceOfItsAnswer(t *testing.T) {
	v, chain := repetition(t, "redact", wasm.Limits{Streams: 1}, chain.FaultBlocks)
	g := open(t, setup{chain: chain, url: newFake(t, func(conn net.Conn, _ sent) {
		_, _ = io.WriteString(conn, streamHead+chunk(going(1)+textEvent("a line that does not")))
		hungUp(conn)
	}).url})
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	res, err := http.DefaultTransport.RoundTrip(g.request("dev", strings.NewReader(chatBody("hi", true))).WithContext(ctx))
	require.NoError(t, err)
	r := bufio.NewReader(res.Body)
	for line := ""; !strings.Contains(line, "again"); {
		line, err = r.ReadString('\n')
		require.NoError(t, err)
	}
	assert.Equal(t, 1, v.Stats().Streams, "the stream has its own instance")

	a := g.post("dev", chatBody("another", true))
	assert.Equal(t, 503, a.status, "only one instance may exist: %s", a.body)
	assert.Equal(t, "guard_unavailable", errorOf(t, a)["code"])
	assert.Equal(t, uint64(1), v.Stats().Faults[core.FaultOverload])

	leave()
	_ = res.Body.Close()
	require.Eventually(t, func() bool { return v.Stats().Streams == 0 }, generous, 5*time.Millisecond)
	assert.Zero(t, v.Stats().Instances, "a stream did not end in the instance, so it is closed")
}

func TestAnAnswerAboveTheLimitPassesUnseenWhereTheLinkSaysSo(t *testing.T) {
	v, chain := repetition(t, "block", wasm.Limits{Streams: 1}, chain.FaultPasses)
	g := open(t, setup{chain: chain, url: newFake(t, func(conn net.Conn, _ sent) {
		_, _ = io.WriteString(conn, streamHead+chunk(going(5))+chunk(stopEvent+doneEvent)+chunk(""))
	}).url})
	st, err := wasm.NewStage(v, "other", wasm.Settings{})
	require.NoError(t, err)
	require.True(t, v.Acquire())
	defer func() { require.NoError(t, st.Close(context.Background())) }()
	f, err := st.Stream(context.Background(), &core.Exchange{}, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close(context.Background())) }()
	a := g.post("dev", chatBody("hi", true))
	assert.Equal(t, 200, a.status)
	assert.Equal(t, 5, strings.Count(a.body, "say it again"))
	assert.Equal(t, []any{map[string]any{"link": "repetition", "phase": "response", "fault": "overload"}}, g.outcome()["faults"])
}
