package anthropic

import (
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// isStrictAnswer reports whether the provider enforces the schema. It accepts only
// schemas written for that, so the client must have set strict.
func (e *encoder) isStrictAnswer() bool {
	f := e.r.Format
	return f != nil && f.Schema != nil && e.t.Strict && f.Strict != nil && *f.Strict
}

// isToolAnswer reports whether the model answers through answerTool.
func (e *encoder) isToolAnswer() bool { return e.r.Format != nil && !e.isStrictAnswer() }

// appendTools appends the tools and the tool choice.
func (e *encoder) appendTools() {
	tools := e.r.Tools
	if names := e.r.Choice.Names; e.r.Choice.Mode == llm.ChooseNamed && len(names) > 1 {
		// The shape can name one tool or none: the others are not offered.
		tools = llm.FilterTools(tools, names)
	}
	answer := e.isToolAnswer()
	if len(tools) == 0 && !answer {
		return
	}
	e.b = append(e.b, `,"tools":[`...)
	for i := range tools {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.appendTool(&tools[i])
	}
	if answer {
		if len(tools) > 0 {
			e.b = append(e.b, ',')
		}
		f := e.r.Format
		if f.Schema != nil && f.Strict != nil && *f.Strict {
			e.r.RecordDropped("response_format.json_schema.strict")
		}
		about := "Call this tool to give your answer. Its input is the answer; write nothing beside it."
		if f.Description != "" {
			about += " " + f.Description
		}
		e.appendTool(&llm.Tool{Name: answerTool, Description: about, Schema: f.Schema})
	}
	e.b = append(e.b, ']')
	e.appendChoice(len(tools), answer)
}

func (e *encoder) appendTool(t *llm.Tool) {
	e.b = append(e.b, `{"name":`...)
	e.appendString(t.Name)
	if t.Description != "" {
		e.b = append(e.b, `,"description":`...)
		e.appendString(t.Description)
	}
	e.b = wire.AppendToolSchema(append(e.b, `,"input_schema":`...), t.Schema)
	if t.Strict != nil && *t.Strict {
		if e.t.Strict {
			e.b = append(e.b, `,"strict":true`...)
		} else {
			e.r.RecordDropped("tools.function.strict")
		}
	}
	e.b = append(e.b, '}')
}

// appendChoice appends tool_choice, which also holds the flag for parallel calls.
func (e *encoder) appendChoice(tools int, answer bool) {
	typ, name := "", ""
	switch c := e.r.Choice; {
	case c.Mode == llm.ChooseNamed && len(c.Names) == 1:
		typ, name = "tool", c.Names[0]
	case c.Mode == llm.ChooseNone:
		typ = "none"
	case c.Mode == llm.ChooseRequired, c.Mode == llm.ChooseNamed:
		typ = "any"
	case c.Mode == llm.ChooseAuto:
		typ = "auto"
	}
	if answer && typ != "tool" {
		switch {
		case e.budget > 0 || e.r.Thinking != nil || e.t.FreeChoice: // no call can be forced on a model that thinks
			typ = "auto"
		case tools == 0 || typ == "none":
			typ, name = "tool", answerTool
		default:
			typ = "any"
		}
	}
	serial := e.r.Parallel != nil && !*e.r.Parallel
	if serial && !e.t.Parallel {
		e.r.RecordDropped("parallel_tool_calls")
		serial = false
	}
	if serial && typ == "" {
		typ = "auto"
	}
	if typ == "" {
		return
	}
	e.b = append(append(e.b, `,"tool_choice":{"type":"`...), typ...)
	e.b = append(e.b, '"')
	if name != "" {
		e.b = append(e.b, `,"name":`...)
		e.appendString(name)
	}
	if serial && typ != "none" {
		e.b = append(e.b, `,"disable_parallel_tool_use":true`...)
	}
	e.b = append(e.b, '}')
}
