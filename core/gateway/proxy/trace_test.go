package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/telemetry"
)

const (
	clientTrace  = "0af7651916cd43dd8448eb211c80319c"
	clientSpan   = "b7ad6b7169203331"
	clientParent = "00-" + clientTrace + "-" + clientSpan + "-01"
)

func newTraces(r *receiver) telemetry.Traces {
	return telemetry.Traces{
		Endpoint: r.url,
		Headers:  map[string]string{"X-Collector": "secret-of-the-collector"},
		Sample:   1,
		Version:  "1.2.3",
		Node:     "edge-1",
	}
}

func TestAnExchangeIsATraceWithASpanForEachLinkAndEachCall(t *testing.T) {
	c := newReceiver(t)
	provider := newFake(t, says(buildWhole(200, "application/json", completion("a private answer"))))
	g := open(t, setup{url: provider.url, traces: newTraces(c), chain: redacting(t, "{}")})
	a := g.post("dev", chat("my card is "+card), "Traceparent", clientParent, "Tracestate", "vendor=1", "Baggage", "user=someone")
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, clientTrace, a.header.Get("X-Trace-Id"))
	g.end()

	server := c.requireSpan(t, "chat openai.chat")
	assert.Equal(t, otlp.Span_SPAN_KIND_SERVER, server.GetKind())
	assert.Equal(t, clientTrace, hexOf(server.GetTraceId()))
	assert.Equal(t, clientSpan, hexOf(server.GetParentSpanId()))
	got := attributes(server)
	for name, want := range map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-test", "gen_ai.response.model": "gpt-test", "gen_ai.provider.name": "openai",
		"gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 3, "gen_ai.usage.cache_read.input_tokens": 2,
		"headgate.outcome": "served", "http.response.status_code": 200, "headgate.shape": "openai.chat", "headgate.trace_id": clientTrace,
	} {
		assert.Equal(t, want, got[name], name)
	}
	assert.NotContains(t, got, "error.type")

	call := c.requireSpan(t, "chat gpt-test")
	assert.Equal(t, otlp.Span_SPAN_KIND_CLIENT, call.GetKind())
	assert.Equal(t, server.GetSpanId(), call.GetParentSpanId())
	got = attributes(call)
	assert.Equal(t, 1, got["headgate.attempt"])
	assert.Equal(t, 200, got["http.response.status_code"])
	assert.Equal(t, 7, got["gen_ai.usage.input_tokens"])
	told := provider.last(t).header
	assert.Equal(t, "00-"+clientTrace+"-"+hexOf(call.GetSpanId())+"-01", told.Get("Traceparent"))
	assert.Equal(t, "vendor=1", told.Get("Tracestate"))
	assert.Empty(t, told.Get("Baggage"))

	for _, phase := range []string{"request", "response"} {
		link := c.requireSpan(t, phase+" pii")
		assert.Equal(t, server.GetSpanId(), link.GetParentSpanId())
		assert.Equal(t, phase, attributes(link)["headgate.phase"])
		checkWithin(t, server, link)
	}
	checkWithin(t, server, call)
	assert.Equal(t, "rewrite", attributes(c.requireSpan(t, "request pii"))["headgate.action"])

	assert.Equal(t, "headgate", c.resource["service.name"])
	assert.Equal(t, "1.2.3", c.resource["service.version"])
	assert.Equal(t, "edge-1", c.resource["service.instance.id"])
	assert.Equal(t, "secret-of-the-collector", c.header.Get("X-Collector"))
	for _, private := range []string{card, "my card", "a private answer", g.key["dev"], "secret-of-the-collector", "someone"} {
		assert.NotContains(t, string(c.raw), private)
	}
	assert.Contains(t, g.lines.String(), `"trace_id":"`+clientTrace+`"`)
	assert.NotContains(t, g.lines.String(), "secret-of-the-collector")
}

// checkWithin asserts that a span lies within the time of another.
func checkWithin(t *testing.T, outer, inner *otlp.Span) {
	t.Helper()
	assert.LessOrEqual(t, outer.GetStartTimeUnixNano(), inner.GetStartTimeUnixNano(), inner.GetName())
	assert.LessOrEqual(t, inner.GetStartTimeUnixNano(), inner.GetEndTimeUnixNano(), inner.GetName())
	assert.LessOrEqual(t, inner.GetEndTimeUnixNano(), outer.GetEndTimeUnixNano(), inner.GetName())
}

func TestATraceThatBeginsHereHasTheIDOfItsExchange(t *testing.T) {
	c := newReceiver(t)
	g := open(t, setup{url: newFake(t, says(buildWhole(200, "application/json", completion("hi")))).url, traces: newTraces(c)})
	a := g.post("dev", chat("hi"), "X-Trace-Id", "mine-1")
	assert.Equal(t, "mine-1", a.header.Get("X-Trace-Id"))
	g.end()
	span := c.requireSpan(t, "chat openai.chat")
	got := attributes(span)
	assert.Equal(t, got["headgate.request_id"], hexOf(span.GetTraceId()))
	assert.Equal(t, "mine-1", got["headgate.trace_id"])
	assert.Empty(t, span.GetParentSpanId())
}

func TestEachAttemptHasItsSpan(t *testing.T) {
	c := newReceiver(t)
	g := open(t, setup{traces: newTraces(c), targets: []route.Provider{
		openAI(t, "a", newFake(t, says(buildWhole(500, "application/json", "{}"))).url, nil, noTimeouts),
		openAI(t, "b", newFake(t, says(buildWhole(200, "application/json", completion("second")))).url, nil, noTimeouts),
	}})
	require.Equal(t, 200, g.post("dev", manyBody).status)
	g.end()
	var calls []*otlp.Span
	for _, s := range c.spans {
		if s.GetKind() == otlp.Span_SPAN_KIND_CLIENT {
			calls = append(calls, s)
		}
	}
	require.GreaterOrEqual(t, len(calls), 2)
	failed, served := attributes(calls[0]), attributes(calls[len(calls)-1])
	assert.Equal(t, "a", failed["gen_ai.provider.name"])
	assert.Equal(t, "500", failed["error.type"])
	assert.Equal(t, otlp.Status_STATUS_CODE_ERROR, calls[0].GetStatus().GetCode())
	assert.Equal(t, "b", served["gen_ai.provider.name"])
	assert.Equal(t, 3, served["gen_ai.usage.output_tokens"])
	assert.NotContains(t, failed, "gen_ai.usage.output_tokens")
	ids := map[string]bool{}
	for _, s := range c.spans {
		ids[hexOf(s.GetSpanId())] = true
	}
	assert.Len(t, ids, len(c.spans))
}

func TestAStreamAndItsLinksAreTraced(t *testing.T) {
	c := newReceiver(t)
	stream := strings.Join([]string{roleEvent, textEvent("some words"), stopEvent, usageEvent, doneEvent}, "")
	g := open(t, setup{client: &pieces{contentType: "text/event-stream", next: repeatAnswer(stream)}, traces: newTraces(c), chain: redacting(t, "{}")})
	require.Equal(t, 200, g.post("dev", chatStream("my card is "+card)).status)
	g.end()
	server := c.requireSpan(t, "chat openai.chat")
	got := attributes(server)
	assert.Equal(t, true, got["headgate.stream"])
	assert.Equal(t, []string{"stop"}, got["gen_ai.response.finish_reasons"])
	checkWithin(t, server, c.requireSpan(t, "response pii"))
	checkWithin(t, server, c.requireSpan(t, "chat gpt-test"))
}

func TestARefusalIsATraceWithItsCodeAndNoCall(t *testing.T) {
	c := newReceiver(t)
	g := open(t, setup{traces: newTraces(c)})
	require.Equal(t, 401, g.post("nobody", chat("hi")).status)
	g.end()
	got := attributes(c.requireSpan(t, "chat openai.chat"))
	assert.NotEmpty(t, got["error.type"])
	assert.Equal(t, 401, got["http.response.status_code"])
	assert.Len(t, c.spans, 1)
}

func TestAClientThatDoesNotSampleIsNotExportedAndItsTraceGoesOn(t *testing.T) {
	c := newReceiver(t)
	provider := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{url: provider.url, traces: newTraces(c)})
	require.Equal(t, 200, g.post("dev", chat("hi"), "Traceparent", "00-"+clientTrace+"-"+clientSpan+"-00").status)
	g.end()
	assert.Empty(t, c.spans)
	parent := provider.last(t).header.Get("Traceparent")
	assert.True(t, strings.HasPrefix(parent, "00-"+clientTrace+"-") && strings.HasSuffix(parent, "-00"), parent)
}

func TestABrokenTraceparentIsNoParent(t *testing.T) {
	for _, bad := range []string{"", "nonsense", "00-" + strings.Repeat("0", 32) + "-" + clientSpan + "-01", "00-" + clientTrace + "-01", clientParent + "-" + clientParent} {
		c := newReceiver(t)
		g := open(t, setup{url: newFake(t, says(buildWhole(200, "application/json", completion("hi")))).url, traces: newTraces(c)})
		require.Equal(t, 200, g.post("dev", chat("hi"), "Traceparent", bad).status)
		g.end()
		span := c.requireSpan(t, "chat openai.chat")
		assert.NotEqual(t, clientTrace, hexOf(span.GetTraceId()), bad)
		assert.Empty(t, span.GetParentSpanId(), bad)
	}
}

func TestWithoutACollectorNothingIsTracedAndTheProviderIsToldNothing(t *testing.T) {
	provider := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{url: provider.url})
	a := g.post("dev", chat("hi"), "Traceparent", clientParent)
	require.Equal(t, 200, a.status)
	assert.NotEqual(t, clientTrace, a.header.Get("X-Trace-Id"))
	assert.Empty(t, provider.last(t).header.Get("Traceparent"))
}
