package openai

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *chatDecoder) toolChoice() {
	if d.s.Kind() != splice.Object {
		d.choose(d.text("tool_choice"))
		return
	}
	var kind, mode string
	var names []string
	name := func(key string) bool {
		if key == "name" {
			names = append(names, d.text("tool_choice.name"))
		}
		return key == "name"
	}
	tool := func(key string) bool {
		switch key {
		case "type":
			d.s.Skip()
		case "function", "custom":
			d.object("tool_choice."+key, name)
		default:
			return false
		}
		return true
	}
	d.object("tool_choice", func(key string) bool {
		switch key {
		case "type":
			kind = d.text("tool_choice.type")
		case "allowed_tools":
			d.object("tool_choice.allowed_tools", func(key string) bool {
				switch key {
				case "mode":
					mode = d.text("tool_choice.allowed_tools.mode")
				case "tools":
					d.each("tool_choice.allowed_tools.tools", func(int) { d.object("tool_choice.allowed_tools.tools", tool) })
				default:
					return false
				}
				return true
			})
		default:
			return tool(key)
		}
		return true
	})
	switch {
	case kind == "allowed_tools" && mode != "required":
		d.out.Choice.Mode, d.allowed, d.limited = llm.ChooseAuto, names, true
	case len(names) > 0:
		d.out.Choice = llm.Choice{Mode: llm.ChooseNamed, Names: names}
	default:
		d.fail(scan.Missing("tool_choice." + scan.ShortName(kind)))
	}
}

func (d *chatDecoder) choose(word string) {
	switch word {
	case "":
	case "auto":
		d.out.Choice.Mode = llm.ChooseAuto
	case "none":
		d.out.Choice.Mode = llm.ChooseNone
	case "required", "any":
		d.out.Choice.Mode = llm.ChooseRequired
	default:
		d.fail(scan.Invalid("tool_choice", `"tool_choice" must be "none", "auto", "required", or an object that names a tool`))
	}
}

// allow takes away the tools that the model may not choose. No other shape can
// offer tools that are not to be called.
func (d *chatDecoder) allow() {
	if d.limited {
		d.out.Tools = chatOffered(d.out.Tools, d.allowed)
	}
}

// chatOffered gives those of the tools that are named.
func chatOffered(tools []llm.Tool, names []string) (offered []llm.Tool) {
	named := make(map[string]bool, len(names))
	for _, n := range names {
		named[n] = true
	}
	for i := range tools {
		if named[tools[i].Name] {
			offered = append(offered, tools[i])
		}
	}
	return offered
}
