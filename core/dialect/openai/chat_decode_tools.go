package openai

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *chatDecoder) readToolCall() llm.Part {
	c := &llm.Call{}
	d.readObject("messages.tool_calls", func(key string) bool {
		switch name := "messages.tool_calls." + key; key {
		case "id":
			c.ID = d.readText(name)
		case "type", "index":
			d.s.Skip()
		case "function":
			d.readFunction(name, c)
		case "custom":
			c.Kind = llm.CustomTool
			d.readFunction(name, c)
		case "extra_content":
			c.Signature = readChatSignature(d.s, d.doc)
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

// readFunction reads the object that holds the name and the arguments of a call.
func (d *chatDecoder) readFunction(name string, c *llm.Call) {
	d.readObject(name, func(key string) bool {
		switch key {
		case "name":
			c.Name = d.readText(name + ".name")
		case "arguments", "input":
			c.Input = d.readText(name + "." + key)
		default:
			return false
		}
		return true
	})
}

// readChatSignature reads the thought signature of a call from
// extra_content.google.thought_signature, where Google's OpenAI-compatible endpoint puts
// it.
func readChatSignature(s *splice.Scanner, doc []byte) (signature string) {
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
				signature = scan.ReadText(s, doc)
			} else {
				s.Skip()
			}
		}
	}
	return signature
}

func (d *chatDecoder) readTools() {
	d.visitElements("tools", func(int) {
		var t llm.Tool
		d.readObject("tools", func(key string) bool {
			switch key {
			case "type":
				if d.readText("tools.type") == "custom" {
					t.Kind = llm.CustomTool
				}
			case "function", "custom":
				d.readDefinition("tools."+key, &t)
			default:
				return false
			}
			return true
		})
		d.out.Tools = append(d.out.Tools, t)
	})
}

func (d *chatDecoder) readDefinition(name string, t *llm.Tool) {
	d.readObject(name, func(key string) bool {
		switch at := name + "." + key; key {
		case "name":
			t.Name = d.readText(at)
		case "description":
			t.Description = d.readText(at)
		case "parameters":
			t.Schema = d.readRaw(at)
		case "strict":
			t.Strict = d.readFlag()
		case "format":
			d.readGrammar(at, t)
		default:
			return false
		}
		return true
	})
}

// readGrammar reads the format of a custom tool's input: plain text, or a grammar.
func (d *chatDecoder) readGrammar(name string, t *llm.Tool) {
	d.readObject(name, func(key string) bool {
		switch key {
		case "type":
			d.s.Skip()
		case "grammar":
			g := &llm.Grammar{}
			t.Grammar = g
			d.readObject(name+".grammar", func(key string) bool {
				switch at := name + ".grammar." + key; key {
				case "syntax":
					g.Syntax = d.readText(at)
				case "definition":
					g.Definition = d.readText(at)
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
