package openai

import (
	"slices"

	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
)

func (d *chatDecoder) toolCall() llm.Part {
	c := &llm.Call{}
	d.object("messages.tool_calls", func(key string) bool {
		switch name := "messages.tool_calls." + key; key {
		case "id":
			c.ID = d.text(name)
		case "type", "index":
			d.s.Skip()
		case "function":
			d.called(name, c)
		case "custom":
			c.Kind = llm.CustomTool
			d.called(name, c)
		case "extra_content":
			c.Signature = chatSignature(d.s, d.doc)
		default:
			return false
		}
		return true
	})
	if c.Kind == llm.CustomTool {
		if d.customs == nil {
			d.customs = make(map[string]bool)
		}
		d.customs[c.ID] = true
	}
	return llm.Part{Kind: llm.CallPart, Call: c}
}

// called reads the object that names a tool and holds what it is called with.
func (d *chatDecoder) called(name string, c *llm.Call) {
	d.object(name, func(key string) bool {
		switch key {
		case "name":
			c.Name = d.text(name + ".name")
		case "arguments", "input":
			c.Input = d.text(name + "." + key)
		default:
			return false
		}
		return true
	})
}

// chatSignature reads the thought signature of a call from where Google's own
// endpoint of this shape has it: extra_content.google.thought_signature.
func chatSignature(s *splice.Scanner, doc []byte) (signature string) {
	if s.Kind() != splice.Object {
		s.Skip()
		return ""
	}
	s.Enter()
	for s.Next() {
		if string(s.Key()) != "google" || s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		s.Enter()
		for s.Next() {
			if string(s.Key()) == "thought_signature" && s.Kind() == splice.String {
				signature = str(s, doc)
			} else {
				s.Skip()
			}
		}
	}
	return signature
}

func (d *chatDecoder) tools() {
	d.each("tools", func(int) {
		var t llm.Tool
		d.object("tools", func(key string) bool {
			switch key {
			case "type":
				if d.text("tools.type") == "custom" {
					t.Kind = llm.CustomTool
				}
			case "function", "custom":
				d.definition("tools."+key, &t)
			default:
				return false
			}
			return true
		})
		d.out.Tools = append(d.out.Tools, t)
	})
}

func (d *chatDecoder) definition(name string, t *llm.Tool) {
	d.object(name, func(key string) bool {
		switch at := name + "." + key; key {
		case "name":
			t.Name = d.text(at)
		case "description":
			t.Description = d.text(at)
		case "parameters":
			t.Schema = d.raw(at)
		case "strict":
			t.Strict = d.flag()
		case "format":
			d.grammar(at, t)
		default:
			return false
		}
		return true
	})
}

// grammar reads the format of a custom tool's input: any text, or a grammar.
func (d *chatDecoder) grammar(name string, t *llm.Tool) {
	d.object(name, func(key string) bool {
		switch key {
		case "type":
			d.s.Skip()
		case "grammar":
			g := &llm.Grammar{}
			t.Grammar = g
			d.object(name+".grammar", func(key string) bool {
				switch at := name + ".grammar." + key; key {
				case "syntax":
					g.Syntax = d.text(at)
				case "definition":
					g.Definition = d.text(at)
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
}

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
		d.fail(missing("tool_choice." + field(kind)))
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
		d.fail(bad("tool_choice", `"tool_choice" must be "none", "auto", "required", or an object that names a tool`))
	}
}

// allow takes away the tools that the model may not choose. No other shape can
// offer tools that are not to be called.
func (d *chatDecoder) allow() {
	if d.limited {
		d.out.Tools = slices.DeleteFunc(d.out.Tools, func(t llm.Tool) bool { return !slices.Contains(d.allowed, t.Name) })
	}
}
