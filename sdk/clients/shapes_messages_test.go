package clients

import (
	"context"
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// anthropics makes Anthropic's client for the gateway at addr, which it knows by
// the root that is given.
func anthropics(addr, root string) (anthropic.Client, *capture) {
	c := new(capture)
	return anthropic.NewClient(
		option.WithBaseURL("http://"+addr+root), option.WithAuthToken(gatewayKey), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: c, Timeout: patience}),
	), c
}

func TestAnthropicsClientAsksEveryProviderForMessages(t *testing.T) {
	speaks(t, "anthropic", func(addr string) speaker {
		c, _ := anthropics(addr, "/")
		return messaging{c}
	})
}

type messaging struct{ c anthropic.Client }

func (messaging) finishes(tool bool) string {
	if tool {
		return "tool_use"
	}
	return "end_turn"
}

// message is the question as Anthropic's client puts it.
func message(model string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: model, MaxTokens: 64, Temperature: anthropic.Float(0.5),
		System:   []anthropic.TextBlockParam{{Text: system}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))},
	}
}

func (v messaging) ask(t *testing.T, model string, stream, tool bool, call *said) said {
	t.Helper()
	p := message(model)
	if tool {
		s := parameters()
		p.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: "charge", InputSchema: anthropic.ToolInputSchemaParam{Properties: s["properties"], Required: []string{"card"}},
		}}}
	}
	if call != nil {
		p.Messages = append(
			p.Messages,
			call.history.(anthropic.Message).ToParam(),
			anthropic.NewUserMessage(anthropic.NewToolResultBlock(call.id, charged, false)),
		)
	}
	var r anthropic.Message
	if stream {
		s := v.c.Messages.NewStreaming(context.Background(), p)
		for s.Next() {
			require.NoError(t, r.Accumulate(s.Current()))
		}
		require.NoError(t, s.Err())
	} else {
		got, err := v.c.Messages.New(context.Background(), p)
		require.NoError(t, err)
		r = *got
	}
	out := said{
		finish: string(r.StopReason), history: r, keepsNumbers: true,
		in:  r.Usage.InputTokens + r.Usage.CacheReadInputTokens + r.Usage.CacheCreationInputTokens,
		out: r.Usage.OutputTokens, cached: r.Usage.CacheReadInputTokens, reasoning: -1,
	}
	assert.EqualValues(t, "assistant", r.Role)
	assert.NotEmpty(t, r.ID)
	for _, b := range r.Content {
		switch b.Type {
		case "text":
			out.text += b.Text
		case "tool_use":
			out.id, out.name, out.args = b.ID, b.Name, string(b.Input)
			assert.NotEmpty(t, b.ID)
		default:
			assert.Fail(t, "an unexpected block", b.RawJSON())
		}
	}
	return out
}
