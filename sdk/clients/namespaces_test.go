package clients

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asksTools returns a Responses request with tools and the conversation so far.
func asksTools(model string, tools []responses.ToolUnionParam, items ...responses.ResponseInputItemUnionParam) responses.ResponseNewParams {
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(prompt, responses.EasyInputMessageRoleUser)}
	return responses.ResponseNewParams{
		Model: model, Instructions: openai.String(system), MaxOutputTokens: openai.Int(64), Temperature: openai.Float(0.5), Tools: tools,
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: append(input, items...)},
	}
}

// respond gets an answer, whole or streamed, and the one item of a type in it.
func (v responding) respond(t *testing.T, p responses.ResponseNewParams, stream bool, typ string) responses.ResponseOutputItemUnion {
	t.Helper()
	var r responses.Response
	if stream {
		r = v.readStream(t, p)
	} else {
		got, err := v.c.Responses.New(context.Background(), p)
		require.NoError(t, err)
		r = *got
	}
	for _, item := range r.Output {
		if item.Type == typ {
			return item
		}
	}
	require.Fail(t, "no item of that type", "%s in %s", typ, r.RawJSON())
	return responses.ResponseOutputItemUnion{}
}

// onTranslatedRoutes runs a test against each provider that has no Responses API.
func onTranslatedRoutes(t *testing.T, run func(t *testing.T, s *scripted, v responding, x target, stream bool)) {
	s := newScripted(t)
	c, _ := official(serveWith(t, everyProvider+personal, s.URL), gatewayKey)
	for _, x := range targets {
		if x.dir == "openai" {
			continue
		}
		for _, stream := range []bool{false, true} {
			name := x.dir + ", whole"
			if stream {
				name = x.dir + ", streamed"
			}
			t.Run(name, func(t *testing.T) { run(t, s, responding{c}, x, stream) })
		}
	}
}

func TestAToolInANamespaceIsCalledByItsOwnNameEverywhere(t *testing.T) {
	tools := []responses.ToolUnionParam{{OfNamespace: &responses.NamespaceToolParam{
		Name:        "bank",
		Description: "What the bank does",
		Tools: []responses.NamespaceToolToolUnionParam{
			{OfFunction: &responses.NamespaceToolToolFunctionParam{Name: "charge", Parameters: parameters()}},
		},
	}}}
	onTranslatedRoutes(t, func(t *testing.T, s *scripted, v responding, x target, stream bool) {
		s.call("bank__charge")
		item := v.respond(t, asksTools(x.model, tools), stream, "function_call")
		h := x.checkRequest(t, s)
		assert.Equal(t, "bank__charge", h.tool)
		assert.JSONEq(t, toolSchema, h.schema)
		call := item.AsFunctionCall()
		assert.Equal(t, "charge", call.Name)
		assert.Equal(t, "bank", call.Namespace)
		assert.JSONEq(t, answerArgs, call.Arguments)

		past := responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name)
		past.OfFunctionCall.Namespace = openai.String(call.Namespace)
		result := responses.ResponseInputItemParamOfFunctionCallOutput(charged)
		result.OfFunctionCallOutput.CallID = openai.String(call.CallID)
		v.respond(t, asksTools(x.model, tools, past, result), stream, "message")
		h = x.checkRequest(t, s)
		assert.Equal(t, "bank__charge", h.call)
		assert.Contains(t, h.result, charged)
	})
}

func TestAClientsSearchForToolsRunsEverywhere(t *testing.T) {
	tools := []responses.ToolUnionParam{{OfToolSearch: &responses.ToolSearchToolParam{
		Execution: responses.ToolSearchToolExecutionClient, Description: openai.String("Finds tools"), Parameters: parameters(),
	}}}
	onTranslatedRoutes(t, func(t *testing.T, s *scripted, v responding, x target, stream bool) {
		s.call("tool_search")
		item := v.respond(t, asksTools(x.model, tools), stream, "tool_search_call")
		h := x.checkRequest(t, s)
		assert.Equal(t, "tool_search", h.tool)
		call := item.AsToolSearchCall()
		assert.EqualValues(t, "client", call.Execution)
		args, err := json.Marshal(call.Arguments)
		require.NoError(t, err)
		assert.Contains(t, string(args), card, "arguments are an object, and what was redacted is back")

		past := responses.ResponseInputItemParamOfToolSearchCall(call.Arguments)
		past.OfToolSearchCall.CallID, past.OfToolSearchCall.Execution = openai.String(call.CallID), "client"
		found := responses.ResponseInputItemParamOfToolSearchOutput([]responses.ResponseToolSearchOutputItemParamToolUnion{
			{OfFunction: &responses.FunctionToolParam{Name: "charge", Parameters: parameters()}},
		})
		found.OfToolSearchOutput.CallID, found.OfToolSearchOutput.Execution = openai.String(call.CallID), "client"
		s.call("charge")
		got := v.respond(t, asksTools(x.model, tools, past, found), stream, "function_call").AsFunctionCall()
		r := s.take(t)
		assert.Contains(t, string(r.body), `"charge"`, "the tool that was found is offered")
		assert.Contains(t, string(r.body), `"tool_search"`)
		assert.Equal(t, "charge", got.Name)
		assert.JSONEq(t, answerArgs, got.Arguments)
	})
}

func TestACustomToolIsCalledWithItsTextEverywhere(t *testing.T) {
	tools := []responses.ToolUnionParam{{OfCustom: &responses.CustomToolParam{
		Name:        "charge",
		Description: openai.String("Charges"),
		Format: shared.CustomToolInputFormatUnionParam{
			OfGrammar: &shared.CustomToolInputFormatGrammarParam{Syntax: "lark", Definition: "start: /.+/"},
		},
	}}}
	onTranslatedRoutes(t, func(t *testing.T, s *scripted, v responding, x target, stream bool) {
		s.call("charge")
		call := v.respond(t, asksTools(x.model, tools), stream, "custom_tool_call").AsCustomToolCall()
		h := x.checkRequest(t, s)
		assert.Equal(t, "charge", h.tool)
		assert.JSONEq(t, `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`, h.schema)
		assert.Equal(t, "charge", call.Name)
		assert.JSONEq(t, answerArgs, call.Input, "arguments other than {input} come as they are")
	})
}
