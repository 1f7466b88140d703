package clients

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parameters is the tool's schema as the libraries take it.
func parameters() (m map[string]any) {
	if err := json.Unmarshal([]byte(toolSchema), &m); err != nil {
		panic(err)
	}
	return m
}

func TestOpenAIsClientChatsWithEveryProvider(t *testing.T) {
	speaks(t, "openai", func(addr string) speaker {
		c, _ := official(addr, gatewayKey)
		return chatting{c}
	})
}

func TestTheEditorsPathChatsWithEveryProvider(t *testing.T) {
	speaks(t, "openai", func(addr string) speaker {
		return chatting{openai.NewClient(option.WithBaseURL("http://"+addr+"/v1/ide/"), option.WithAPIKey(gatewayKey), option.WithMaxRetries(0))}
	})
}

type chatting struct{ c openai.Client }

func (chatting) finishes(tool bool) string {
	if tool {
		return "tool_calls"
	}
	return "stop"
}

func (v chatting) ask(t *testing.T, model string, stream, tool bool, call *said) said {
	t.Helper()
	p := ask(model)
	p.Messages[0] = openai.SystemMessage(system)
	p.Temperature = openai.Float(0.5)
	if tool {
		p.Tools = []openai.ChatCompletionToolUnionParam{
			openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "charge", Parameters: parameters()}),
		}
	}
	if call != nil {
		p.Messages = append(p.Messages, call.history.(openai.ChatCompletionMessage).ToParam(), openai.ToolMessage(charged, call.id))
	}
	var r openai.ChatCompletion
	if stream {
		r = readStream(t, &v.c, p)
	} else {
		got, err := v.c.Chat.Completions.New(context.Background(), p)
		require.NoError(t, err)
		r = *got
	}
	require.Len(t, r.Choices, 1)
	m := r.Choices[0].Message
	out := said{
		text: m.Content, finish: r.Choices[0].FinishReason, history: m, keepsNumbers: true,
		in: r.Usage.PromptTokens, out: r.Usage.CompletionTokens, cached: r.Usage.PromptTokensDetails.CachedTokens,
		reasoning: r.Usage.CompletionTokensDetails.ReasoningTokens,
	}
	if model == "grok-4" { // it reports them beside the others, and its own shape is not changed
		assert.EqualValues(t, 16, out.out)
		out.out += out.reasoning
	}
	assert.Equal(t, out.in+out.out, r.Usage.TotalTokens)
	if len(m.ToolCalls) > 0 {
		out.id, out.name, out.args = m.ToolCalls[0].ID, m.ToolCalls[0].Function.Name, m.ToolCalls[0].Function.Arguments
		assert.NotEmpty(t, out.id)
		assert.Len(t, m.ToolCalls, 1)
	}
	return out
}

func TestOpenAIsClientAsksEveryProviderForResponses(t *testing.T) {
	speaks(t, "responses", func(addr string) speaker {
		c, _ := official(addr, gatewayKey)
		return responding{c}
	})
}

type responding struct{ c openai.Client }

func (responding) finishes(bool) string { return "completed" }

func (v responding) ask(t *testing.T, model string, stream, tool bool, call *said) said {
	t.Helper()
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(prompt, responses.EasyInputMessageRoleUser)}
	if call != nil {
		result := responses.ResponseInputItemParamOfFunctionCallOutput(charged)
		result.OfFunctionCallOutput.CallID = openai.String(call.id)
		input = append(input, responses.ResponseInputItemParamOfFunctionCall(call.args, call.id, call.name), result)
	}
	p := responses.ResponseNewParams{
		Model: model, Instructions: openai.String(system), MaxOutputTokens: openai.Int(64), Temperature: openai.Float(0.5),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: input},
	}
	if tool {
		p.Tools = []responses.ToolUnionParam{responses.ToolParamOfFunction("charge", parameters(), false)}
	}
	var r responses.Response
	if stream {
		r = v.readStream(t, p)
	} else {
		got, err := v.c.Responses.New(context.Background(), p)
		require.NoError(t, err)
		r = *got
	}
	out := said{
		text: r.OutputText(), finish: string(r.Status), keepsNumbers: true,
		in: r.Usage.InputTokens, out: r.Usage.OutputTokens, cached: r.Usage.InputTokensDetails.CachedTokens,
		reasoning: r.Usage.OutputTokensDetails.ReasoningTokens,
	}
	assert.Equal(t, out.in+out.out, r.Usage.TotalTokens)
	for _, item := range r.Output {
		if item.Type == "function_call" {
			f := item.AsFunctionCall()
			out.id, out.name, out.args = f.CallID, f.Name, f.Arguments
			assert.NotEmpty(t, f.CallID)
		}
	}
	return out
}

// readStream reads a stream to its end. What came in pieces is what the end holds.
func (v responding) readStream(t *testing.T, p responses.ResponseNewParams) (last responses.Response) {
	t.Helper()
	s := v.c.Responses.NewStreaming(context.Background(), p)
	text, args, numbered := "", "", int64(0)
	for s.Next() {
		ev := s.Current()
		assert.Equal(t, numbered, ev.SequenceNumber)
		numbered++
		switch ev.Type {
		case "response.output_item.added":
			args = ""
		case "response.output_text.delta":
			text += ev.Delta
		case "response.function_call_arguments.delta":
			args += ev.Delta
		case "response.function_call_arguments.done":
			assert.Equal(t, args, ev.Arguments)
		case "response.output_text.done":
			assert.Equal(t, text, ev.Text)
		case "response.completed", "response.incomplete":
			last = ev.Response
		}
	}
	require.NoError(t, s.Err())
	assert.Equal(t, text, last.OutputText())
	return last
}
