package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *chatUsage) spent(t *testing.T) *spent {
	if u == nil {
		return nil
	}
	assert.Equal(t, u.Total, u.Prompt+u.Completion)
	return &spent{u.Prompt, u.Completion, u.Details.Reasoning}
}

type chatSaid struct {
	Role      string
	Content   *string
	Refusal   *string
	ToolCalls []struct {
		Index    int
		ID, Type string
		Function struct{ Name, Arguments string }
		Custom   struct{ Name, Input string }
	} `json:"tool_calls"`
}

type chatAnswer struct {
	ID, Object, Model string
	Created           int
	Choices           []struct {
		Index          int
		Message, Delta chatSaid
		Text           *string
		Finish         string `json:"finish_reason"`
	}
	Usage *chatUsage
}

// chatTold parses an answer of the chat shape; legacy selects text completions.
func chatTold(legacy bool) func(*testing.T, string, manner) told {
	return func(t *testing.T, body string, m manner) (a told) {
		object := map[bool]string{false: "chat.completion", true: "text_completion"}[legacy]
		pieces := []string{body}
		if m == streamed {
			if !legacy {
				object += ".chunk"
			}
			pieces = pieces[:0]
			for _, f := range framesOf(t, body) {
				pieces = append(pieces, f.data)
			}
			require.Equal(t, "[DONE]", pieces[len(pieces)-1])
			pieces = pieces[:len(pieces)-1]
		}
		first := ""
		for _, p := range pieces {
			var v chatAnswer
			strictly(t, p, &v)
			require.Equal(t, object, v.Object, p)
			require.NotEmpty(t, v.ID)
			require.NotEmpty(t, v.Model)
			require.NotZero(t, v.Created)
			if first == "" {
				first = v.ID
			}
			require.Equal(t, first, v.ID)
			if v.Usage != nil {
				a.Usage = v.Usage.spent(t)
			}
			for _, c := range v.Choices {
				require.Empty(t, a.Finish, "nothing follows the finish")
				require.Zero(t, c.Index)
				said := c.Message
				if m == streamed {
					said = c.Delta
				}
				if legacy {
					require.NotNil(t, c.Text)
					a.Text += *c.Text
				}
				a.add(t, &said, m)
				a.Finish = c.Finish
			}
		}
		require.NotEmpty(t, a.Finish)
		return a
	}
}

func (a *told) add(t *testing.T, s *chatSaid, m manner) {
	if s.Content != nil {
		a.Text += *s.Content
	}
	if s.Refusal != nil {
		a.Refusal += *s.Refusal
	}
	for i, c := range s.ToolCalls {
		at := i
		if m == streamed {
			at = c.Index
		}
		if at == len(a.Calls) {
			require.NotEmpty(t, c.ID)
			if c.Type == "custom" {
				a.Calls = append(a.Calls, c.Custom.Name+" "+c.Custom.Input)
				continue
			}
			require.Equal(t, "function", c.Type)
			a.Calls = append(a.Calls, c.Function.Name+" "+c.Function.Arguments)
			continue
		}
		require.Equal(t, len(a.Calls)-1, at, "calls are not interleaved")
		a.Calls[at] += c.Function.Arguments + c.Custom.Input
	}
}
