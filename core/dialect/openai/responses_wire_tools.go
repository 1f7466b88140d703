package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/llm"
)

// appendTools appends the tools and the tool choice.
func appendTools(dst []byte, r *llm.Request) []byte {
	if len(r.Tools) == 0 {
		return dst
	}
	dst = append(dst, `,"tools":[`...)
	open := ""
	for i := range r.Tools {
		t := &r.Tools[i]
		if open != "" && t.Namespace != open {
			dst = append(dst, "]}"...)
		}
		if i > 0 && (t.Namespace == "" || t.Namespace != open || open == "") {
			dst = append(dst, ',')
		}
		switch {
		case t.Namespace != "" && t.Namespace != open:
			dst = appendMember(append(dst, `{"type":"namespace",`...), "name", t.Namespace)
			dst = append(dst, `,"description":"","tools":[`...)
		case t.Namespace != "":
			dst = append(dst, ',')
		}
		open = t.Namespace
		dst = appendTool(dst, t)
	}
	if open != "" {
		dst = append(dst, "]}"...)
	}
	dst = append(dst, ']')
	if r.Choice.Mode != llm.ChooseUnsaid {
		dst = appendChoice(append(dst, `,"tool_choice":`...), r)
	}
	return dst
}

func appendTool(dst []byte, t *llm.Tool) []byte {
	switch t.Kind {
	case llm.SearchTool:
		dst = append(dst, `{"type":"tool_search","execution":"client"`...)
	case llm.CustomTool:
		dst = appendMember(append(dst, `{"type":"custom",`...), "name", t.Name)
	default:
		dst = appendMember(append(dst, `{"type":"function",`...), "name", t.Name)
	}
	if t.Description != "" {
		dst = appendMember(append(dst, ','), "description", t.Description)
	}
	if t.Kind == llm.CustomTool {
		return append(appendGrammar(dst, t.Grammar), '}')
	}
	if t.Schema != nil {
		dst = append(append(dst, `,"parameters":`...), t.Schema...)
	} else if t.Kind == llm.FunctionTool {
		dst = append(dst, `,"parameters":{"type":"object","properties":{}}`...)
	}
	if t.Kind == llm.FunctionTool {
		// By default this API is strict, and the chat API is not.
		dst = strconv.AppendBool(append(dst, `,"strict":`...), t.Strict != nil && *t.Strict)
	}
	return append(dst, '}')
}

func appendGrammar(dst []byte, g *llm.Grammar) []byte {
	if g == nil {
		return dst
	}
	dst = appendMember(append(dst, `,"format":{"type":"grammar",`...), "syntax", g.Syntax)
	return append(appendMember(append(dst, ','), "definition", g.Definition), '}')
}
