package providers

import (
	"context"
	"net/url"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/upstream"
)

// mock is a provider in the process: for tests and demonstrations, without an
// account. What it answers follows from the request alone; see mockReply.
type mock struct {
	s    Settings
	caps core.Capabilities
}

var (
	_ core.Provider   = (*mock)(nil)
	_ upstream.Client = (*mock)(nil)
)

// mockURL names the endpoint in errors and logs; nothing is dialled.
var mockURL = &url.URL{Scheme: "http", Host: "mock", Path: "/v1/chat/completions"}

func newMock(s Settings) (core.Provider, error) {
	caps, err := override(core.Capabilities{
		Streaming: true, Vision: true, ToolCalls: true, StructuredOutputs: true, JSONMode: true,
	}, s.Capabilities)
	return &mock{s: s, caps: caps}, err
}

func (m *mock) Name() string                          { return m.s.Name }
func (m *mock) Label() string                         { return "Mock" }
func (m *mock) Wire(*core.Exchange) string            { return openai.ChatName }
func (m *mock) Client() upstream.Client               { return m }
func (m *mock) Capabilities(string) core.Capabilities { return m.caps }
func (m *mock) Prefixes() []string                    { return []string{"mock-"} }
func (m *mock) Close() error                          { return nil }

// Models are the names that show what the mock can do; every mock-* answers.
func (m *mock) Models() []string {
	if len(m.s.Models) > 0 {
		return m.s.Models
	}
	return []string{"mock-echo", "mock-tools", "mock-error-429", "mock-error-500"}
}

func (m *mock) Traits(string) core.Traits {
	return core.Traits{LimitField: "max_tokens", StreamUsage: true}
}

func (m *mock) NewRequest(_ *core.Exchange, r *upstream.Request) error {
	r.Method, r.URL, r.Header = "POST", mockURL, r.Header[:0]
	return nil
}

// Do answers as a provider would.
func (m *mock) Do(ctx context.Context, r *upstream.Request) (*upstream.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, &upstream.Error{Phase: upstream.PhaseFirstByte, Err: err}
	}
	return mockReply(ctx, r.Body), nil
}
