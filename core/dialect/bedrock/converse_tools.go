package bedrock

import (
	"slices"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// answerTool carries a JSON answer where the model is not held to a schema: the
// answer is the tool's input. Its name tells a call of it from the client's own.
const answerTool = "headgate_json_answer"

const anyObject = `{"type":"object"}`

// appendTools appends the tools and the choice among them.
func (e *encoder) appendTools() {
	answer := e.answersByTool()
	tools := e.offeredTools()
	if len(tools) == 0 && !answer {
		return
	}
	e.B = append(splice.AppendKey(e.B, "toolConfig"), `{"tools":[`...)
	for i := range tools {
		e.appendTool(&tools[i])
	}
	if answer {
		f := e.R.Format
		schema := f.Schema
		if schema == nil {
			schema = []byte(anyObject)
		}
		about := "Gives the answer to the user as JSON. Call it to answer."
		if f.Description != "" {
			about += " The answer: " + f.Description
		}
		if f.Schema != nil && f.Strict != nil && *f.Strict {
			e.R.Drop("response_format.json_schema.strict")
		}
		e.appendTool(&llm.Tool{Name: answerTool, Description: about, Schema: schema})
	}
	e.B = append(e.B, ']')
	e.appendChoice(len(tools), answer)
	e.B = append(e.B, '}')
}

// answersByTool tells whether the answer is to come as a tool's input. Whoever has
// a tool called gets a call, not an answer.
func (e *encoder) answersByTool() bool {
	mode := e.R.Choice.Mode
	return e.R.Format != nil && !e.isHeldToSchema() && mode != llm.ChooseRequired && mode != llm.ChooseNamed
}

// offeredTools are the tools that the model may call.
func (e *encoder) offeredTools() []llm.Tool {
	tools := e.R.Tools
	switch e.R.Choice.Mode {
	case llm.ChooseNone:
		if !e.calls {
			return nil
		}
		e.R.Drop("tool_choice") // a conversation with calls needs tools, and there is no "none"
	case llm.ChooseNamed:
		if named := e.R.Choice.Names; len(named) > 1 {
			tools = slices.DeleteFunc(slices.Clone(tools), func(t llm.Tool) bool { return !slices.Contains(named, t.Name) })
		}
	}
	if len(tools) == 0 && e.calls {
		return e.declareCalled()
	}
	return tools
}

// declareCalled declares the tools that only the conversation knows: the API wants tools
// where there are calls.
func (e *encoder) declareCalled() (tools []llm.Tool) {
	for i := range e.R.Messages {
		for _, p := range e.R.Messages[i].Parts {
			if p.Kind == llm.CallPart && !slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Name == p.Call.Name }) {
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
	schema := t.Schema
	if schema == nil {
		schema = []byte(anyObject)
	}
	e.B = append(append(splice.AppendKey(e.B, "inputSchema"), `{"json":`...), schema...)
	e.B = append(e.B, '}')
	if t.Strict != nil && *t.Strict {
		if e.T.Strict {
			e.B = append(e.B, `,"strict":true`...)
		} else {
			e.R.Drop("tools.function.strict")
		}
	}
	e.B = append(e.B, "}}"...)
}

// appendChoice appends what the model has to do with n tools of the client's and the
// answer tool.
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

// isHeldToSchema tells whether the model can be held to the schema of the answer. The API
// takes only schemas that are written for it: a client says so with "strict".
func (e *encoder) isHeldToSchema() bool {
	f := e.R.Format
	return e.T.Strict && f.Schema != nil && f.Strict != nil && *f.Strict
}

// appendOutput appends the schema that the answer is held to. It travels as text.
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
