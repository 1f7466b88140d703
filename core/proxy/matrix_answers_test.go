package proxy_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// told is what a client has read of an answer, in the words of its shape.
type told struct {
	Text, Refusal string
	Calls         []string // name and arguments
	Finish        string
	Usage         *spent
}

type spent struct{ In, Out, Thought int }

func strictly(t *testing.T, raw string, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(raw), v), raw)
}

// sseFrame is one server-sent event.
type sseFrame struct{ event, data string }

// framesOf takes a stream apart as a client does.
func framesOf(t *testing.T, body string) (out []sseFrame) {
	t.Helper()
	body = strings.ReplaceAll(body, "\r\n", "\n") // as Google ends its lines
	require.True(t, strings.HasSuffix(body, "\n\n"), "a stream ends in a blank line: %q", body)
	for _, e := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		f := sseFrame{}
		for _, line := range strings.Split(e, "\n") {
			switch {
			case strings.HasPrefix(line, "event: "):
				f.event = line[7:]
			case strings.HasPrefix(line, "data: "):
				f.data += line[6:]
			default:
				require.Fail(t, "no line of an event", "%q", line)
			}
		}
		out = append(out, f)
	}
	return out
}

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

// chatTold reads an answer of the chat shape; legacy is the one of text completions.
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
			require.Equal(t, "function", c.Type)
			a.Calls = append(a.Calls, c.Function.Name+" "+c.Function.Arguments)
			continue
		}
		require.Equal(t, len(a.Calls)-1, at, "calls come one after the other")
		a.Calls[at] += c.Function.Arguments
	}
}

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
			require.True(t, started && open == nil, "blocks come one after the other")
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

type response struct {
	ID, Object, Status, Model string
	Incomplete                *struct{ Reason string } `json:"incomplete_details"`
	Output                    []struct {
		Type, ID, Status, Role, Name, Arguments string
		CallID                                  string `json:"call_id"`
		Content                                 []struct{ Type, Text, Refusal string }
	}
	Usage *struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		Total   int `json:"total_tokens"`
		Details struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	}
}

func responsesTold(t *testing.T, body string, m manner) (a told) {
	var v response
	if m == wholly {
		strictly(t, body, &v)
		return v.told(t)
	}
	var pieces told
	for i, f := range framesOf(t, body) {
		var e struct {
			Type, Delta string
			Sequence    *int `json:"sequence_number"`
			Index       int  `json:"output_index"`
			Item        struct{ Type, Name string }
			Response    response
		}
		strictly(t, f.data, &e)
		require.Equal(t, f.event, e.Type)
		require.NotNil(t, e.Sequence, f.data)
		require.Equal(t, i, *e.Sequence)
		require.Empty(t, v.ID, "nothing follows the end")
		switch e.Type {
		case "response.output_text.delta":
			pieces.Text += e.Delta
		case "response.refusal.delta":
			pieces.Refusal += e.Delta
		case "response.output_item.added":
			if e.Item.Type == "function_call" {
				pieces.Calls = append(pieces.Calls, e.Item.Name+" ")
			}
		case "response.function_call_arguments.delta":
			pieces.Calls[len(pieces.Calls)-1] += e.Delta
		case "response.completed", "response.incomplete":
			require.Equal(t, "response."+e.Response.Status, e.Type)
			v = e.Response
		}
	}
	a = v.told(t)
	assert.Equal(t, told{Text: a.Text, Refusal: a.Refusal, Calls: a.Calls}, pieces, "the end repeats what the events said")
	return a
}

func (v *response) told(t *testing.T) (a told) {
	require.Equal(t, "response", v.Object)
	require.NotEmpty(t, v.ID)
	require.NotEmpty(t, v.Model)
	for _, it := range v.Output {
		switch it.Type {
		case "message":
			require.Equal(t, "assistant", it.Role)
			require.NotEmpty(t, it.ID)
			for _, p := range it.Content {
				require.Contains(t, []string{"output_text", "refusal"}, p.Type)
				a.Text += p.Text
				a.Refusal += p.Refusal
			}
		case "function_call":
			require.NotEmpty(t, it.CallID)
			a.Calls = append(a.Calls, it.Name+" "+it.Arguments)
		default:
			require.Equal(t, "reasoning", it.Type)
		}
	}
	a.Finish = v.Status
	if v.Incomplete != nil {
		a.Finish += " " + v.Incomplete.Reason
	}
	if u := v.Usage; u != nil {
		assert.Equal(t, u.Total, u.Input+u.Output)
		a.Usage = &spent{u.Input, u.Output, u.Details.Reasoning}
	}
	return a
}

func generateTold(t *testing.T, body string, m manner) (a told) {
	pieces := []string{body}
	if m == streamed {
		pieces = pieces[:0]
		for _, f := range framesOf(t, body) {
			require.Empty(t, f.event)
			pieces = append(pieces, f.data)
		}
	}
	for _, p := range pieces {
		var v struct {
			Candidates []struct {
				Index   int
				Finish  string `json:"finishReason"`
				Content struct {
					Role  string
					Parts []struct {
						Text    string
						Thought bool
						Call    *struct {
							Name string
							Args json.RawMessage
						} `json:"functionCall"`
					}
				}
			}
			Feedback struct{ BlockReason string } `json:"promptFeedback"`
			Usage    *struct {
				Prompt  int `json:"promptTokenCount"`
				Answer  int `json:"candidatesTokenCount"`
				Thought int `json:"thoughtsTokenCount"`
				Total   int `json:"totalTokenCount"`
			} `json:"usageMetadata"`
			Model string `json:"modelVersion"`
		}
		strictly(t, p, &v)
		for _, c := range v.Candidates {
			require.Empty(t, a.Finish, "nothing follows the finish")
			require.Zero(t, c.Index)
			for _, part := range c.Content.Parts {
				require.Equal(t, "model", c.Content.Role)
				if part.Call != nil {
					a.Calls = append(a.Calls, part.Call.Name+" "+string(part.Call.Args))
				}
				if !part.Thought {
					a.Text += part.Text
				}
			}
			a.Finish = c.Finish
		}
		if r := v.Feedback.BlockReason; r != "" {
			a.Finish = "blocked " + r
		}
		if u := v.Usage; u != nil {
			require.Equal(t, u.Total, u.Prompt+u.Answer+u.Thought)
			a.Usage = &spent{u.Prompt, u.Answer + u.Thought, u.Thought}
		}
	}
	require.NotEmpty(t, a.Finish)
	return a
}

// problem is an error body in a client's shape.
type problem struct{ kind, code, message string }

func openAIProblem(t *testing.T, body string, _ int) problem {
	var v struct {
		Error struct{ Type, Code, Message string }
	}
	strictly(t, body, &v)
	return problem{v.Error.Type, v.Error.Code, v.Error.Message}
}

func messagesProblem(t *testing.T, body string, _ int) problem {
	var v struct {
		Type  string
		Error struct{ Type, Message string }
	}
	strictly(t, body, &v)
	require.Equal(t, "error", v.Type)
	return problem{v.Error.Type, "", v.Error.Message}
}

func generateProblem(t *testing.T, body string, status int) problem {
	var v struct {
		Error struct {
			Code            int
			Status, Message string
		}
	}
	strictly(t, body, &v)
	require.Equal(t, status, v.Error.Code, "the error's code is the HTTP status: %s", strconv.Itoa(status))
	return problem{v.Error.Status, "", v.Error.Message}
}
