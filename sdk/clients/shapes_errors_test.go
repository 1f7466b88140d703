package clients

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"
)

// refusals are how providers refuse, in their own words.
var refusals = map[string]string{
	"gpt-4o":            `{"error":{"message":"Rate limit reached for gpt-4o","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
	"claude-sonnet-4-5": `{"type":"error","error":{"type":"rate_limit_error","message":"Rate limit reached"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`,
	"gemini-2.5-pro":    `{"error":{"code":429,"message":"Rate limit reached","status":"RESOURCE_EXHAUSTED"}}`,
	"eu.anthropic.claude-sonnet-4-5-20250929-v1:0": `{"message":"Rate limit reached"}`,
	"command-a-03-2025":                            `{"id":"1","message":"Rate limit reached"}`,
	"llama3.2":                                     `{"error":"Rate limit reached"}`,
}

// refused is an error as a client's library gives it.
type refused struct {
	status       int
	typ, message string
}

func TestRefusalsAreEachClientsOwnErrors(t *testing.T) {
	s := newScripted(t)
	addr := serveWith(t, everyProvider, s.URL)
	o, _ := official(addr, gatewayKey)
	a, _ := anthropics(addr, "/")
	g, _ := googles(t, addr, "/v1/gen")
	ctx := context.Background()
	openAI := func(err error) (r refused) {
		var e *openai.Error
		if errors.As(err, &e) {
			r = refused{e.StatusCode, e.Type, e.Message}
		}
		return r
	}
	google := func(err error) (r refused) {
		var e genai.APIError
		if errors.As(err, &e) {
			r = refused{e.Code, e.Status, e.Message}
		}
		return r
	}
	anthropics := func(err error) (r refused) {
		var e *anthropic.Error
		if errors.As(err, &e) {
			r = refused{e.StatusCode, string(e.Type()), e.Error()}
		}
		return r
	}
	for _, x := range []struct {
		name           string
		limit, missing string // the types of the errors
		ask            func(model string, stream bool) refused
	}{
		{"chat", "rate_limit_error", "not_found_error", func(model string, stream bool) refused {
			if stream {
				s := o.Chat.Completions.NewStreaming(ctx, ask(model))
				s.Next()
				return openAI(s.Err())
			}
			_, err := o.Chat.Completions.New(ctx, ask(model))
			return openAI(err)
		}},
		{"responses", "rate_limit_error", "not_found_error", func(model string, stream bool) refused {
			p := responses.ResponseNewParams{Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt)}}
			if stream {
				s := o.Responses.NewStreaming(ctx, p)
				s.Next()
				return openAI(s.Err())
			}
			_, err := o.Responses.New(ctx, p)
			return openAI(err)
		}},
		{"messages", "rate_limit_error", "not_found_error", func(model string, stream bool) refused {
			if stream {
				s := a.Messages.NewStreaming(ctx, message(model))
				s.Next()
				return anthropics(s.Err())
			}
			_, err := a.Messages.New(ctx, message(model))
			return anthropics(err)
		}},
		{"generateContent", "RESOURCE_EXHAUSTED", "NOT_FOUND", func(model string, stream bool) (r refused) {
			contents, config := question()
			if stream {
				for _, err := range g.Models.GenerateContentStream(ctx, model, contents, config) {
					return google(err)
				}
			}
			_, err := g.Models.GenerateContent(ctx, model, contents, config)
			return google(err)
		}},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(x.name, func(t *testing.T) {
				r := x.ask("none", stream)
				assert.Equal(t, 404, r.status)
				assert.Equal(t, x.missing, r.typ)
				for model, body := range refusals {
					s.refuse(http.StatusTooManyRequests, body)
					r := x.ask(model, stream)
					assert.Equal(t, 429, r.status, model)
					assert.Equal(t, x.limit, r.typ, model)
					assert.Contains(t, r.message, "API error 429", model)
					assert.Contains(t, r.message, "Rate limit reached", model)
				}
			})
		}
	}
	require.NotEmpty(t, s.got)
}
