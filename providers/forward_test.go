package providers

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// passed is what each provider may read from a client. A field that is added here must grant nothing.
var passed = map[string][]string{
	"openai":       {"Openai-Beta", "Idempotency-Key", "X-Client-Request-Id"},
	"azure-openai": {"Openai-Beta", "X-Client-Request-Id", "X-Ms-Client-Request-Id"},
	"anthropic":    {"Anthropic-Version", "Anthropic-Beta", "Idempotency-Key"},
	"xai":          {"X-Grok-Conv-Id"},
	"vertex":       {"Anthropic-Beta"}, // if it is called in the Messages shape
}

// buildFullHeader returns the header of a client that sends all known fields.
func buildFullHeader() http.Header {
	h := http.Header{}
	for _, name := range []string{
		"Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Gen-Api-Key", "X-Goog-User-Project", "Openai-Organization", "Openai-Project",
		"Anthropic-Organization-Id", "X-Amz-Security-Token", "X-Amz-Date", "X-Forwarded-For", "Forwarded", "Content-Type", "Content-Length", "Host", "Accept-Encoding",
		"Connection", "Transfer-Encoding", "Openai-Beta", "Idempotency-Key", "X-Client-Request-Id", "X-Ms-Client-Request-Id", "Anthropic-Version", "Anthropic-Beta",
		"X-Grok-Conv-Id", "X-Trace-Id", "User-Agent",
	} {
		h[name] = []string{"client " + name}
	}
	return h
}

func TestEachProviderReadsItsOwnFieldsOfTheClientAndNoOther(t *testing.T) {
	for typ, c := range conformance {
		for wire := range c.whole {
			x := exchange(wire, c.model, false)
			x.Request.Header = buildFullHeader()
			var got []string
			for _, f := range request(t, newProvider(t, settings(typ)), x).Header {
				if strings.HasPrefix(f.Value, "client ") {
					got = append(got, f.Name)
				}
			}
			assert.Equal(t, passed[typ], got, "%s %s", typ, wire)
		}
	}
}

func TestFieldsOfAShapeAreForItsOwnClients(t *testing.T) {
	for typ, dialect := range map[string]string{"anthropic": openAIChat, "openai": anthropicMessages} {
		x := exchange(dialect, "m", false)
		x.Request.Header = buildFullHeader()
		r := request(t, newProvider(t, settings(typ)), x)
		assert.NotEqual(t, x.Dialect, x.Target.Wire)
		assert.Empty(t, field(r, "Anthropic-Beta"))
		assert.Empty(t, field(r, "Openai-Beta"))
		assert.Equal(t, "client Idempotency-Key", field(r, "Idempotency-Key"))
	}
}

func TestAnthropicsVersionAndBetasAreTheClients(t *testing.T) {
	p := newProvider(t, settings("anthropic"))
	for name, c := range map[string]struct {
		h             http.Header
		version, beta string
	}{
		"none":                   {nil, "2023-06-01", ""},
		"its own":                {http.Header{"Anthropic-Version": {"2026-10-21"}, "Anthropic-Beta": {"a"}}, "2026-10-21", "a"},
		"by their neutral names": {http.Header{"Msgapi-Version": {"2023-06-01"}, "Msgapi-Beta": {"a"}}, "2023-06-01", "a"},
		"several betas":          {http.Header{"Anthropic-Beta": {"a,b", "c"}, "Msgapi-Beta": {"d"}}, "2023-06-01", "a,b,c,d"},
		"two versions":           {http.Header{"Anthropic-Version": {"1", "2"}}, "2023-06-01", ""},
	} {
		x := exchange(anthropicMessages, "claude-opus-4-5", false)
		x.Request.Header = c.h
		r := request(t, p, x)
		versions := 0
		for _, f := range r.Header {
			if f.Name == "Anthropic-Version" {
				versions++
			}
		}
		assert.Equal(t, 1, versions, name)
		assert.Equal(t, c.version, field(r, "Anthropic-Version"), name)
		assert.Equal(t, c.beta, field(r, "Anthropic-Beta"), name)
	}
	assert.Equal(t, []upstream.Field{{Name: "Anthropic-Version", Value: "2023-06-01"}}, anthropicKind.fixed, "the table is not modified")
}

func TestTheOperatorsFieldsComeFirst(t *testing.T) {
	s := settings("anthropic")
	s.Header = []upstream.Field{
		{Name: "anthropic-beta", Value: "own"},
		{Name: "anthropic-version", Value: "own"},
		{Name: "x-api-key", Value: "own"},
	}
	x := exchange(anthropicMessages, "claude-opus-4-5", false)
	x.Request.Header = buildFullHeader()
	assert.Equal(t, []upstream.Field{
		{Name: "Content-Type", Value: "application/json"},
		{Name: "anthropic-beta", Value: "own"},
		{Name: "anthropic-version", Value: "own"},
		{Name: "x-api-key", Value: "own"},
		{Name: "Idempotency-Key", Value: "client Idempotency-Key"},
	}, request(t, newProvider(t, s), x).Header)
}
