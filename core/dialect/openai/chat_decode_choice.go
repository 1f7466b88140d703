package openai

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *chatDecoder) readToolChoice() {
	if d.s.Kind() != splice.Object {
		d.setChoiceMode(d.readText("tool_choice"))
		return
	}
	var kind, mode string
	var names []string
	name := func(key string) bool {
		if key == "name" {
			names = append(names, d.readText("tool_choice.name"))
		}
		return key == "name"
	}
	tool := func(key string) bool {
		switch key {
		case "type":
			d.s.Skip()
		case "function", "custom":
			d.readObject("tool_choice."+key, name)
		default:
			return false
		}
		return true
	}
	d.readObject("tool_choice", func(key string) bool {
		switch key {
		case "type":
			kind = d.readText("tool_choice.type")
		case "allowed_tools":
			d.readObject("tool_choice.allowed_tools", func(key string) bool {
				switch key {
				case "mode":
					mode = d.readText("tool_choice.allowed_tools.mode")
				case "tools":
					d.visitElements("tool_choice.allowed_tools.tools", func(int) { d.readObject("tool_choice.allowed_tools.tools", tool) })
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
		d.fail(scan.NewMissing("tool_choice." + scan.ShortenName(kind)))
	}
}

func (d *chatDecoder) setChoiceMode(word string) {
	switch word {
	case "":
	case "auto":
		d.out.Choice.Mode = llm.ChooseAuto
	case "none":
		d.out.Choice.Mode = llm.ChooseNone
	case "required", "any":
		d.out.Choice.Mode = llm.ChooseRequired
	default:
		d.fail(scan.NewInvalid("tool_choice", `"tool_choice" must be "none", "auto", "required", or an object that names a tool`))
	}
}

// limitTools removes the tools that the model must not call. No other dialect can offer
// a tool that must not be called.
func (d *chatDecoder) limitTools() {
	if d.limited {
		d.out.Tools = llm.FilterTools(d.out.Tools, d.allowed)
	}
}
