package pii

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// whole takes a whole answer through the chain. args says that the text is a
// tool's arguments.
func (b *bench) whole(x *core.Exchange, text string, args bool) string {
	b.t.Helper()
	msg := `{"content":` + quote(text) + `}`
	if args {
		msg = `{"tool_calls":[{"id":"1","function":{"name":"f","arguments":` + quote(text) + `}}]}`
	}
	x.Response.Reset()
	x.Response.Raw = []byte(`{"choices":[{"index":0,"message":` + msg + `}]}`)
	require.NoError(b.t, openai.Chat{}.ScanResponse(x))
	d := b.chain.Response(context.Background(), x)
	require.Equal(b.t, core.Pass, d.Action, "%v", d.Err)
	var v struct {
		Choices []struct {
			Message delta `json:"message"`
		} `json:"choices"`
	}
	require.NoError(b.t, json.Unmarshal(x.Response.Raw, &v), "%s", x.Response.Raw)
	return v.Choices[0].Message.text()
}

type delta struct {
	Content   string `json:"content"`
	ToolCalls []struct {
		Function struct {
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (d delta) text() string {
	s := d.Content
	for _, c := range d.ToolCalls {
		s += c.Function.Arguments
	}
	return s
}

// streamed takes an answer in pieces through the chain. each, when set, sees all
// that was released after each piece.
func (b *bench) streamed(x *core.Exchange, pieces []string, args bool, each func(sent string)) string {
	b.t.Helper()
	ctx := context.Background()
	s, e := b.chain.Stream(ctx, x, openai.Chat{})
	require.Nil(b.t, e)
	defer s.Close(ctx)
	var all strings.Builder
	event := func(raw string) {
		ev := &core.Event{Raw: []byte("data: " + raw + "\n\n")}
		require.NoError(b.t, openai.Chat{}.ScanEvent(x, ev))
		out, e := s.Event(ctx, ev, nil)
		require.Nil(b.t, e)
		for line := range strings.Lines(string(out)) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if !ok || data == "[DONE]" {
				continue
			}
			var v struct {
				Choices []struct {
					Delta delta `json:"delta"`
				} `json:"choices"`
			}
			require.NoError(b.t, json.Unmarshal([]byte(data), &v), data)
			for _, c := range v.Choices {
				all.WriteString(c.Delta.text())
			}
		}
		if each != nil {
			each(all.String())
		}
	}
	for _, p := range pieces {
		d := `{"content":` + quote(p) + `}`
		if args {
			d = `{"tool_calls":[{"index":0,"function":{"arguments":` + quote(p) + `}}]}`
		}
		event(`{"id":"c","choices":[{"index":0,"delta":` + d + `}]}`)
	}
	event(`{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	event("[DONE]")
	return all.String()
}

func scanResponse(x *core.Exchange) error { return openai.Chat{}.ScanResponse(x) }
