package proxy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

type messageBlock struct {
	Type, Text, ID, Name, Thinking, Signature string
	Input                                     json.RawMessage
}

type messageUsage struct {
	Input      int  `json:"input_tokens"`
	Written    int  `json:"cache_creation_input_tokens"`
	Read       int  `json:"cache_read_input_tokens"`
	Output     *int `json:"output_tokens"`
	OutDetails struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u *messageUsage) spent(t *testing.T) *spent {
	require.NotNil(t, u)
	require.NotNil(t, u.Output)
	return &spent{u.Input + u.Written + u.Read, *u.Output, u.OutDetails.Thinking}
}

func messagesTold(t *testing.T, body string, m manner) (a told) {
	type message struct {
		ID, Type, Role, Model string
		Content               []messageBlock
		Stop                  string `json:"stop_reason"`
		Usage                 *messageUsage
	}
	if m == wholly {
		var v message
		strictly(t, body, &v)
		require.Equal(t, []string{"message", "assistant"}, []string{v.Type, v.Role})
		require.NotEmpty(t, v.ID)
		require.NotEmpty(t, v.Model)
		for _, b := range v.Content {
			a.block(t, &b, string(b.Input))
		}
		a.Finish, a.Usage = v.Stop, v.Usage.spent(t)
		return a
	}
	var open *messageBlock
	input, started, stopped, next := "", false, false, 0
	for _, f := range framesOf(t, body) {
		var v struct {
			Type    string
			Message message
			Index   int
			Block   messageBlock `json:"content_block"`
			Delta   struct {
				Type, Text, Thinking, Signature string
				Partial                         string `json:"partial_json"`
				Stop                            string `json:"stop_reason"`
			}
			Usage *messageUsage
		}
		strictly(t, f.data, &v)
		require.Equal(t, f.event, v.Type)
		require.False(t, stopped, "nothing follows message_stop")
		switch v.Type {
		case "message_start":
			require.False(t, started)
			started = true
			require.NotEmpty(t, v.Message.ID)
			require.NotNil(t, v.Message.Usage)
		case "content_block_start":
			require.True(t, started && open == nil, "blocks are not interleaved")
			require.Equal(t, next, v.Index)
			b := v.Block
			open, input = &b, ""
			next++
		case "content_block_delta":
			require.NotNil(t, open)
			require.Equal(t, next-1, v.Index)
			open.Text += v.Delta.Text
			open.Thinking += v.Delta.Thinking
			open.Signature += v.Delta.Signature
			input += v.Delta.Partial
		case "content_block_stop":
			require.NotNil(t, open)
			a.block(t, open, input)
			open = nil
		case "message_delta":
			a.Finish, a.Usage = v.Delta.Stop, v.Usage.spent(t)
		case "message_stop":
			stopped = true
		default:
			require.Equal(t, "ping", v.Type)
		}
	}
	require.True(t, stopped)
	return a
}

func (a *told) block(t *testing.T, b *messageBlock, input string) {
	switch b.Type {
	case "text":
		a.Text += b.Text
	case "tool_use":
		require.NotEmpty(t, b.ID)
		a.Calls = append(a.Calls, b.Name+" "+input)
	case "thinking":
		require.NotEmpty(t, b.Signature)
	default:
		require.Fail(t, "unknown block", b.Type)
	}
}
