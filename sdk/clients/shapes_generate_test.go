package clients

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/genai"
)

// googles makes Google's client for the gateway at addr, which it knows by the
// root that is given.
func googles(t *testing.T, addr, root string) (*genai.Client, *capture) {
	t.Helper()
	c := new(capture)
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: gatewayKey, Backend: genai.BackendGeminiAPI, HTTPClient: &http.Client{Transport: c, Timeout: patience},
		HTTPOptions: genai.HTTPOptions{BaseURL: "http://" + addr + root},
	})
	require.NoError(t, err)
	return client, c
}

func TestGooglesClientAsksEveryProviderForContent(t *testing.T) {
	for _, root := range []string{"/v1/gen", "/"} {
		t.Run(root, func(t *testing.T) {
			speaks(t, "gemini", func(addr string) speaker {
				c, _ := googles(t, addr, root)
				return generating{c}
			})
		})
	}
}

type generating struct{ c *genai.Client }

func (generating) finishes(bool) string { return "STOP" }

// question is what Google's client asks.
func question() ([]*genai.Content, *genai.GenerateContentConfig) {
	return genai.Text(prompt), &genai.GenerateContentConfig{
		SystemInstruction: &genai.Content{Parts: []*genai.Part{{Text: system}}},
		MaxOutputTokens:   64, Temperature: genai.Ptr[float32](0.5),
	}
}

func (v generating) ask(t *testing.T, model string, stream, tool bool, call *said) said {
	t.Helper()
	contents, config := question()
	if tool {
		config.Tools = []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "charge", ParametersJsonSchema: parameters()}}}}
	}
	if call != nil {
		contents = append(contents, call.history.(*genai.Content), genai.NewContentFromParts([]*genai.Part{{
			FunctionResponse: &genai.FunctionResponse{ID: call.id, Name: call.name, Response: map[string]any{"output": charged}},
		}}, genai.RoleUser))
	}
	all := &genai.Content{Role: genai.RoleModel}
	out := said{history: all}
	read := func(r *genai.GenerateContentResponse) {
		if u := r.UsageMetadata; u != nil {
			assert.Equal(t, u.PromptTokenCount+u.CandidatesTokenCount+u.ThoughtsTokenCount, u.TotalTokenCount-pending(u))
			out.in, out.out = int64(u.PromptTokenCount), int64(u.CandidatesTokenCount+u.ThoughtsTokenCount)
			out.cached, out.reasoning = int64(u.CachedContentTokenCount), int64(u.ThoughtsTokenCount)
		}
		for _, c := range r.Candidates {
			if c.FinishReason != "" {
				out.finish = string(c.FinishReason)
			}
			if c.Content == nil {
				continue
			}
			for _, p := range c.Content.Parts {
				if !p.Thought { // xAI's reasoning has its place
					out.text += p.Text
				}
				if f := p.FunctionCall; f != nil {
					args, err := json.Marshal(f.Args)
					require.NoError(t, err)
					out.id, out.name, out.args = f.ID, f.Name, string(args)
				}
				all.Parts = append(all.Parts, p)
			}
		}
	}
	if stream {
		for r, err := range v.c.Models.GenerateContentStream(context.Background(), model, contents, config) {
			require.NoError(t, err)
			read(r)
		}
		return out
	}
	r, err := v.c.Models.GenerateContent(context.Background(), model, contents, config)
	require.NoError(t, err)
	read(r)
	return out
}

// pending is what is counted in a total and nowhere else.
func pending(u *genai.GenerateContentResponseUsageMetadata) int32 { return u.ToolUsePromptTokenCount }
