package clients

import (
	"context"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestErrorsAreTheOfficialClientsOwn(t *testing.T) {
	p := newProvider(t)
	addr := serve(t, p.URL)
	c, seen := official(addr, gatewayKey)
	ctx := context.Background()
	chat := func(p openai.ChatCompletionNewParams, o ...option.RequestOption) func() error {
		return func() error { _, err := c.Chat.Completions.New(ctx, p, o...); return err }
	}
	stream := func(p openai.ChatCompletionNewParams) func() error {
		return func() error {
			s := c.Chat.Completions.NewStreaming(ctx, p)
			for s.Next() {
				require.Fail(t, "a chunk")
			}
			return s.Err()
		}
	}
	raw := func(body string) func() error {
		return func() error { return c.Post(ctx, "chat/completions", []byte(body), new(openai.ChatCompletion)) }
	}
	for _, x := range []struct {
		name   string
		file   string // of the provider's answer
		played int
		call   func() error
		status int
		code   string
		typ    string
		says   string
	}{
		{"a wrong key", "", 0, chat(ask("mock-echo"), option.WithAPIKey("gw_wrong0123456789abcdefgh")), 401, "UNAUTHORIZED", "authentication_error", ""},
		{"a model that there is not", "", 0, chat(ask("none")), 404, "model_not_found", "not_found_error", "model"},
		{"the same, streamed", "", 0, stream(ask("none")), 404, "model_not_found", "not_found_error", "model"},
		{"a key twice", "", 0, raw(`{"model":"mock-echo","model":"mock-echo","messages":[{"role":"user","content":"x"}]}`), 400, "duplicate_key", "invalid_request_error", "twice"},
		{"no JSON", "", 0, raw(`{"model":`), 400, "invalid_json", "invalid_request_error", ""},
		{"no messages", "", 0, raw(`{"model":"mock-echo","messages":[]}`), 400, "", "invalid_request_error", "messages"},
		{"the mock's error", "", 0, chat(ask("mock-error-429")), 429, "mock_error", "rate_limit_error", "429"},
		{"the provider's refusal", "error_400.json", 400, chat(ask("gpt-4o")), 400, "decimal_above_max_value", "invalid_request_error", "OpenAI API error 400: decimal_above_max_value: Invalid 'temperature'"},
		{"the same, streamed", "error_400.json", 400, stream(ask("gpt-4o")), 400, "decimal_above_max_value", "invalid_request_error", "temperature"},
		{"the provider's rate limit", "error_429.json", 429, chat(ask("gpt-4o")), 429, "rate_limit_exceeded", "rate_limit_error", "Rate limit reached"},
		{"the provider refuses the gateway's own key", "error_401.json", 401, chat(ask("gpt-4o")), 502, "upstream_error", "server_error", "OpenAI API error 401"},
		{"the provider fails", "error_429.json", 503, chat(ask("gpt-4o")), 503, "upstream_error", "server_error", "OpenAI API error 503"},
	} {
		t.Run(x.name, func(t *testing.T) {
			p.play(x.file, x.played, putToken, false)
			err := x.call()
			var e *openai.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, x.status, e.StatusCode)
			if x.code != "" {
				assert.Equal(t, x.code, e.Code)
			}
			assert.NotEmpty(t, e.Code)
			assert.Equal(t, x.typ, e.Type)
			assert.Contains(t, e.Message, x.says)
			assert.NotContains(t, e.RawJSON(), "sk-provi")
			assert.NotEmpty(t, seen.header.Get("X-Trace-Id"))
		})
	}
	t.Run("no provider at all", func(t *testing.T) {
		p.Close()
		var e *openai.Error
		require.ErrorAs(t, chat(ask("gpt-4o"))(), &e)
		assert.Equal(t, 502, e.StatusCode)
		assert.Equal(t, "upstream_error", e.Code)
	})
}
