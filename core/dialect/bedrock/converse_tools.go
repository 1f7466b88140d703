package bedrock

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// answerTool is the tool whose input is a JSON answer if no schema is enforced. Its name
// differs from the client's tools.
const answerTool = "headgate_json_answer"

// appendTools appends the tools and the tool choice.
func (e *encoder) appendTools() {
	answer := e.answersByTool()
	tools := e.listOfferedTools()
	if len(tools) == 0 && !answer {
		return
	}
	e.B = append(splice.AppendKey(e.B, "toolConfig"), `{"tools":[`...)
	for i := range tools {
		e.appendTool(&tools[i])
	}
	if answer {
		f := e.R.Format
		about := "Gives the answer to the user as JSON. Call it to answer."
		if f.Description != "" {
			about += " The answer: " + f.Description
		}
		if f.Schema != nil && f.Strict != nil && *f.Strict {
			e.R.RecordDropped("response_format.json_schema.strict")
		}
		e.appendTool(&llm.Tool{Name: answerTool, Description: about, Schema: f.Schema})
	}
	e.B = append(e.B, ']')
	e.appendChoice(len(tools), answer)
	e.B = append(e.B, '}')
}

// answersByTool reports whether the answer comes as a tool's input. A request that
// forces a call gets the call instead.
func (e *encoder) answersByTool() bool {
	mode := e.R.Choice.Mode
	return e.R.Format != nil && !e.isHeldToSchema() && mode != llm.ChooseRequired && mode != llm.ChooseNamed
}

// listOfferedTools returns the tools that the model can call.
func (e *encoder) listOfferedTools() []llm.Tool {
	tools := e.R.Tools
	switch e.R.Choice.Mode {
	case llm.ChooseNone:
		if !e.calls {
			return nil
		}
		e.R.RecordDropped("tool_choice") // a conversation with calls needs tools, and there is no "none"
	case llm.ChooseNamed:
		if named := e.R.Choice.Names; len(named) > 1 {
			tools = llm.FilterTools(tools, named)
		}
	}
	if len(tools) == 0 && e.calls {
		return e.listCalledTools()
	}
	return tools
}

// listCalledTools declares the tools that only the conversation names, because the API
// requires tools if there are calls.
func (e *encoder) listCalledTools() (tools []llm.Tool) {
	declared := map[string]bool{}
	for i := range e.R.Messages {
		for _, p := range e.R.Messages[i].Parts {
			if p.Kind == llm.CallPart && !declared[p.Call.Name] {
				declared[p.Call.Name] = true
				tools = append(tools, llm.Tool{Name: p.Call.Name})
			}
		}
	}
	return tools
}

func (e *encoder) appendTool(t *llm.Tool) {
	e.B = splice.AppendString(append(splice.AppendComma(e.B), `{"toolSpec":{"name":`...), t.Name)
	if t.Description != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "description"), t.Description)
	}
	e.B = wire.AppendToolSchema(append(splice.AppendKey(e.B, "inputSchema"), `{"json":`...), t.Schema)
	e.B = append(e.B, '}')
	if t.Strict != nil && *t.Strict {
		if e.T.Strict {
			e.B = append(e.B, `,"strict":true`...)
		} else {
			e.R.RecordDropped("tools.function.strict")
		}
	}
	e.B = append(e.B, "}}"...)
}

// appendChoice appends the choice among n tools of the client and the answer tool.
func (e *encoder) appendChoice(n int, answer bool) {
	say, mode := "", e.R.Choice.Mode
	switch {
	case answer && (e.budget > 0 || e.T.FreeChoice):
		say = `{"auto":{}}` // who thinks cannot be made to call a tool
	case answer && n == 0:
		say = `{"tool":{"name":"` + answerTool + `"}}`
	case answer, mode == llm.ChooseRequired, mode == llm.ChooseNamed && len(e.R.Choice.Names) != 1:
		say = `{"any":{}}`
	case mode == llm.ChooseAuto:
		say = `{"auto":{}}`
	case mode == llm.ChooseNamed:
		e.B = splice.AppendString(append(splice.AppendKey(e.B, "toolChoice"), `{"tool":{"name":`...), e.R.Choice.Names[0])
		e.B = append(e.B, "}}"...)
		return
	default:
		return
	}
	e.B = append(splice.AppendKey(e.B, "toolChoice"), say...)
}

// isHeldToSchema reports whether the API enforces the schema. It accepts only schemas
// written for it, which the client marks with "strict".
func (e *encoder) isHeldToSchema() bool {
	f := e.R.Format
	return e.T.Strict && f.Schema != nil && f.Strict != nil && *f.Strict
}

// appendOutput appends the enforced schema, which is sent as a string.
func (e *encoder) appendOutput() {
	f := e.R.Format
	if f == nil || !e.isHeldToSchema() {
		return
	}
	e.B = append(splice.AppendKey(e.B, "outputConfig"), `{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{`...)
	e.B = splice.AppendString(splice.AppendKey(e.B, "schema"), string(f.Schema))
	if f.Name != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "name"), f.Name)
	}
	if f.Description != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "description"), f.Description)
	}
	e.B = append(e.B, "}}}}"...)
}
