package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/llm"
)

// appendTools appends the tools and the tool choice.
func (w *chatWriter) appendTools() {
	r := w.r
	offered := r.Tools
	if r.Choice.Mode == llm.ChooseNamed && len(r.Choice.Names) > 1 {
		// One of several: offer only those and require a call. Few providers support
		// allowed_tools.
		offered = llm.FilterTools(r.Tools, r.Choice.Names)
	}
	if len(offered) == 0 {
		if r.Parallel != nil {
			r.RecordDropped("parallel_tool_calls") // no tools, so it has no effect
		}
		return
	}
	comma := byte('[')
	w.dst = appendChatKey(w.dst, "tools")
	for i := range offered {
		w.dst = append(w.dst, comma)
		w.appendTool(&offered[i])
		comma = ','
	}
	w.dst = append(w.dst, ']')
	w.appendChoice()
	switch {
	case r.Parallel == nil:
	case w.t.Parallel:
		w.dst = strconv.AppendBool(appendChatKey(w.dst, "parallel_tool_calls"), *r.Parallel)
	default:
		r.RecordDropped("parallel_tool_calls")
	}
}

func (w *chatWriter) appendTool(t *llm.Tool) {
	switch {
	case t.Kind == llm.FunctionTool:
		w.dst = appendChatString(append(w.dst, `{"type":"function","function":{"name":`...), t.Name)
		w.appendText("description", t.Description, true)
		if t.Schema != nil {
			w.dst = append(appendChatKey(w.dst, "parameters"), t.Schema...)
		}
		w.appendStrict(t.Strict, "tools.function.strict")
	case t.Kind == llm.CustomTool && w.t.CustomTools:
		w.dst = appendChatString(append(w.dst, `{"type":"custom","custom":{"name":`...), t.Name)
		w.appendText("description", t.Description, true)
		if g := t.Grammar; g != nil {
			w.dst = appendChatString(append(w.dst, `,"format":{"type":"grammar","grammar":{"syntax":`...), g.Syntax)
			w.dst = append(appendChatMember(w.dst, "definition", g.Definition), `}}`...)
		}
	default:
		w.refuse("tools", "takes functions as tools, and nothing else")
		return
	}
	w.dst = append(w.dst, `}}`...)
}

func (w *chatWriter) appendChoice() {
	c := w.r.Choice
	switch c.Mode {
	case llm.ChooseAuto:
		w.dst = append(w.dst, `,"tool_choice":"auto"`...)
	case llm.ChooseNone:
		w.dst = append(w.dst, `,"tool_choice":"none"`...)
	case llm.ChooseRequired:
		w.dst = append(w.dst, `,"tool_choice":"required"`...)
	case llm.ChooseNamed:
		if len(c.Names) != 1 {
			w.dst = append(w.dst, `,"tool_choice":"required"`...)
			return
		}
		kind := "function"
		for i := range w.r.Tools {
			if w.r.Tools[i].Name == c.Names[0] && w.r.Tools[i].Kind == llm.CustomTool {
				kind = "custom"
			}
		}
		w.dst = append(w.dst, `,"tool_choice":{"type":"`+kind+`","`+kind+`":{"name":`...)
		w.dst = append(appendChatString(w.dst, c.Names[0]), `}}`...)
	}
}
