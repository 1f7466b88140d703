package providers

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/upstream"
)

const openAIBase = "https://api.openai.com"

type openAI struct {
	s      Settings
	chat   *url.URL
	header []upstream.Field
	caps   core.Capabilities
}

var _ core.Provider = (*openAI)(nil)

func newOpenAI(s Settings) (core.Provider, error) {
	if s.BaseURL == "" {
		s.BaseURL = openAIBase
	}
	p := &openAI{s: s}
	var err error
	if p.chat, err = endpoint(s.BaseURL, "/v1/chat/completions"); err != nil {
		return nil, err
	}
	p.caps, err = override(core.Capabilities{
		Streaming: true, Vision: true, ToolCalls: true, StructuredOutputs: true, JSONMode: true,
	}, s.Capabilities)
	if err != nil {
		return nil, err
	}
	p.header = append(p.header, upstream.Field{Name: "Content-Type", Value: "application/json"})
	if s.APIKey != "" {
		p.header = append(p.header, upstream.Field{Name: "Authorization", Value: "Bearer " + s.APIKey})
	}
	p.header = append(p.header, s.Header...)
	return p, nil
}

func (p *openAI) Name() string                          { return p.s.Name }
func (p *openAI) Label() string                         { return "OpenAI" }
func (p *openAI) Wire(*core.Exchange) string            { return openai.ChatName }
func (p *openAI) Client() upstream.Client               { return p.s.Client }
func (p *openAI) Models() []string                      { return p.s.Models }
func (p *openAI) Capabilities(string) core.Capabilities { return p.caps }

// Prefixes of OpenAI's model names, by its model list.
func (p *openAI) Prefixes() []string {
	return []string{"gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-", "ft:gpt-", "ft:o"}
}

// forwarded are headers of the client's that OpenAI reads and that grant
// nothing: keys, organisations and projects are the gateway's own.
var forwarded = []string{"Openai-Beta", "Idempotency-Key", "X-Client-Request-Id"}

// NewRequest aims at the chat completions endpoint.
func (p *openAI) NewRequest(x *core.Exchange, r *upstream.Request) error {
	r.Method, r.URL, r.Timeouts = "POST", p.chat, p.s.Timeouts
	r.Header = append(r.Header[:0], p.header...)
	for _, name := range forwarded {
		if v := x.Request.Header[name]; len(v) == 1 {
			r.Header = append(r.Header, upstream.Field{Name: name, Value: v[0]})
		}
	}
	return nil
}

// Traits says which name of the token limit a model takes: reasoning models,
// the o-series and GPT-5 and later, refuse max_tokens.
func (p *openAI) Traits(model string) core.Traits {
	t := core.Traits{LimitField: "max_tokens", StreamUsage: true}
	if reasoning(model) {
		t.LimitField = "max_completion_tokens"
	}
	return t
}

// reasoning reports whether a name is that of a reasoning model: o1, o3-mini,
// gpt-5, gpt-5.1-codex, but not gpt-4o.
func reasoning(model string) bool {
	model = strings.TrimPrefix(model, "ft:")
	if rest, ok := strings.CutPrefix(model, "gpt-"); ok {
		n := leadingNumber(rest)
		return n >= 5 && n != 35 // gpt-35-turbo is how Azure spells 3.5
	}
	if rest, ok := strings.CutPrefix(model, "o"); ok {
		return leadingNumber(rest) >= 1
	}
	return false
}

// leadingNumber reads the digits that a name begins with; -1 when there are none.
func leadingNumber(s string) int {
	n := -1
	for i := 0; i < len(s) && '0' <= s[i] && s[i] <= '9' && n < 1000; i++ {
		n = max(n, 0)*10 + int(s[i]-'0')
	}
	return n
}
