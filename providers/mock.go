package providers

import (
	"context"
	"net/url"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// mock is a provider within the process, for tests and demonstrations without an account. Its answers depend on the
// request only; see mockReply.
type mock struct {
	s    Settings
	caps route.Capabilities
}

var (
	_ route.Provider  = (*mock)(nil)
	_ upstream.Client = (*mock)(nil)
)

// mockURLs name the endpoints in errors and logs; no connection is made.
var mockURLs = map[string]*url.URL{
	openAIChat:       {Scheme: "http", Host: "mock", Path: "/v1/chat/completions"},
	openAIResponses:  {Scheme: "http", Host: "mock", Path: "/v1/responses"},
	openAICompact:    {Scheme: "http", Host: "mock", Path: "/v1/responses/compact"},
	openAIEmbeddings: {Scheme: "http", Host: "mock", Path: "/v1/embeddings"},
	anthropicCount:   {Scheme: "http", Host: "mock", Path: "/v1/messages/count_tokens"},
	geminiEmbed:      {Scheme: "http", Host: "mock", Path: "/v1beta/models/mock:embedContent"},
	geminiBatchEmbed: {Scheme: "http", Host: "mock", Path: "/v1beta/models/mock:batchEmbedContents"},
	geminiCount:      {Scheme: "http", Host: "mock", Path: "/v1beta/models/mock:countTokens"},
	openAIRealtime:   {Scheme: "http", Host: "mock", Path: "/v1/realtime"},
	rerank:           {Scheme: "http", Host: "mock", Path: "/v1/rerank"},
	moderations:      {Scheme: "http", Host: "mock", Path: "/v1/moderations"},
	images:           {Scheme: "http", Host: "mock", Path: "/v1/images/generations"},
	imageEdits:       {Scheme: "http", Host: "mock", Path: "/v1/images/edits"},
	speech:           {Scheme: "http", Host: "mock", Path: "/v1/audio/speech"},
	transcriptions:   {Scheme: "http", Host: "mock", Path: "/v1/audio/transcriptions"},
	translations:     {Scheme: "http", Host: "mock", Path: "/v1/audio/translations"},
}

func newMock(s Settings) (route.Provider, error) {
	caps, err := overrideCapabilities(everyCap, s.Capabilities)
	return &mock{s: s, caps: caps}, err
}

func (m *mock) Name() string                               { return m.s.Name }
func (m *mock) Label() string                              { return "Mock" }
func (m *mock) Client() upstream.Client                    { return m }
func (m *mock) FindCapabilities(string) route.Capabilities { return m.caps }
func (m *mock) Prefixes() []string                         { return []string{"mock-"} }
func (m *mock) Close() error                               { return nil }

// ChooseWire returns the chat shape for everything that generates text, except for requests that continue a compacted conversation.
func (m *mock) ChooseWire(x *core.Exchange) string {
	if x.Dialect == openAIResponses && !holdsCompaction(x) {
		return openAIChat
	}
	if _, ok := mockURLs[x.Dialect]; ok {
		return x.Dialect
	}
	return openAIChat
}

// Models returns the names that show what the mock can do. Every name mock-* is accepted.
func (m *mock) Models() []string {
	if len(m.s.Models) > 0 {
		return m.s.Models
	}
	return []string{"mock-echo", "mock-tools", "mock-error-429", "mock-error-500"}
}

// FindTraits returns the traits of a plain chat provider: what the specification allows providers other than openai.
// The mock accepts extended thinking, so that clients that always request it can be tried without an account.
func (m *mock) FindTraits(string) core.Traits {
	return core.Traits{
		Label: "Mock", LimitField: "max_tokens", StreamUsage: true, Strict: true, Penalties: true, Seed: true, NoThoughts: true,
	}
}

func (m *mock) NewRequest(x *core.Exchange, r *upstream.Request) error {
	u := mockURLs[x.Target.Wire]
	if u == nil {
		return newNoServiceError(m.Label())
	}
	r.Method, r.URL, r.Header = "POST", u, setContentType(x, r.Header[:0])
	if beta := x.Request.Header.Get("Openai-Beta"); beta != "" && x.Target.Wire == openAIRealtime {
		r.Header = append(r.Header, upstream.Field{Name: "Openai-Beta", Value: beta})
	}
	return nil
}

// Do answers as a provider would.
func (m *mock) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, &upstream.Error{Phase: upstream.PhaseFirstByte, Err: err}
	}
	switch r.URL {
	case mockURLs[openAIEmbeddings]:
		return mockEmbeddings(r.Body), nil
	case mockURLs[geminiEmbed]:
		return mockEmbedContent(r.Body, false), nil
	case mockURLs[geminiBatchEmbed]:
		return mockEmbedContent(r.Body, true), nil
	case mockURLs[openAICompact]:
		return mockCompact(r.Body), nil
	case mockURLs[openAIResponses]:
		return mockResponses(ctx, r.Body), nil
	case mockURLs[anthropicCount]:
		return mockCount(r.Body, "input_tokens"), nil
	case mockURLs[geminiCount]:
		return mockCount(r.Body, "totalTokens"), nil
	}
	if answer := mockDirect[r.URL]; answer != nil {
		return answer(r), nil
	}
	return mockReply(ctx, r.Body), nil
}
