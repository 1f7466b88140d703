package openai

import (
	"encoding/json"
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// appendMember appends a member that is a string.
func appendMember(dst []byte, key, value string) []byte {
	dst = append(append(append(dst, '"'), key...), `":"`...)
	return append(splice.AppendEscaped(dst, value), '"')
}

func appendString(dst []byte, s string) []byte {
	return append(splice.AppendEscaped(append(dst, '"'), s), '"')
}

func appendStringOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return appendString(dst, s)
}

// appendFormat appends the format of the answer.
func appendFormat(dst []byte, f *llm.Format) []byte {
	switch {
	case f == nil:
		return append(dst, `{"type":"text"}`...)
	case f.Schema == nil:
		return append(dst, `{"type":"json_object"}`...)
	}
	dst = appendMember(append(dst, `{"type":"json_schema",`...), "name", f.Name)
	if f.Description != "" {
		dst = appendMember(append(dst, ','), "description", f.Description)
	}
	dst = append(append(dst, `,"schema":`...), f.Schema...)
	if f.Strict != nil {
		dst = strconv.AppendBool(append(dst, `,"strict":`...), *f.Strict)
	}
	return append(dst, '}')
}

// appendChoice appends the choice of tools.
func appendChoice(dst []byte, r *llm.Request) []byte {
	for word, mode := range modes {
		if mode == r.Choice.Mode {
			return appendString(dst, word)
		}
	}
	if r.Choice.Mode != llm.ChooseNamed {
		return append(dst, `"auto"`...)
	}
	tools := make(map[string]*llm.Tool, len(r.Tools))
	for i := len(r.Tools) - 1; i >= 0; i-- { // the first of a name counts
		tools[joinName(r.Tools[i].Namespace, r.Tools[i].Name)] = &r.Tools[i]
	}
	if len(r.Choice.Names) == 1 {
		return appendToolReference(dst, tools, r.Choice.Names[0])
	}
	dst = append(dst, `{"type":"allowed_tools","mode":"required","tools":[`...)
	for i, name := range r.Choice.Names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendToolReference(dst, tools, name)
	}
	return append(dst, "]}"...)
}

func appendToolReference(dst []byte, tools map[string]*llm.Tool, name string) []byte {
	typ, namespace := toolFunction, ""
	if t := tools[name]; t != nil {
		name, namespace = t.Name, t.Namespace
		switch t.Kind {
		case llm.CustomTool:
			typ = toolCustom
		case llm.SearchTool:
			return append(dst, `{"type":"tool_search"}`...)
		}
	}
	dst = appendMember(append(dst, '{'), "type", typ)
	dst = appendMember(append(dst, ','), "name", name)
	if namespace != "" {
		dst = appendMember(append(dst, ','), "namespace", namespace)
	}
	return append(dst, '}')
}

// encodeText returns text that is JSON unchanged, and any other text as a JSON string.
func encodeText(text string) []byte {
	if json.Valid([]byte(text)) {
		return []byte(text)
	}
	return appendString(nil, text)
}
